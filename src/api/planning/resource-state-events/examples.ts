import type { Builds, Examples } from '../../../../test/examples/example.ts';
import { type NewThing, newEpicThing, newIssueThing } from '../things/thing-examples.ts';
import type * as endpoints from './endpoints.ts';

/** The calls of a kind. */
const callsOn = (made: NewThing): { readonly list: Builds; readonly read: Builds } => ({
  list: async (scene) => ({ by: 'guest', path: (await made(scene)).path }),
  read: async (scene) => {
    const { at, changed, path } = await made(scene);
    const { owner } = scene.project;
    await scene.done(owner.put(changed, { state_event: 'close' }));
    const { body } = await scene.done(owner.get(`${at}/resource_state_events`));
    return { by: 'guest', path: { ...path, resource_state_event_id: body[0].id } };
  },
});

const onIssue = callsOn(newIssueThing);
const onEpic = callsOn(newEpicThing);

export const examples: Examples<typeof endpoints> = {
  listIssueStateEvents: onIssue.list,
  readIssueStateEvent: onIssue.read,
  listEpicStateEvents: onEpic.list,
  readEpicStateEvent: onEpic.read,
};
