import type { Builds, CallerName, Examples } from '#test/examples/example.ts';
import { type NewThing, newEpicThing, newIssueThing, newMergeRequestThing } from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

/** The calls of a kind. */
const callsOn = (made: NewThing, by: CallerName = 'guest'): { readonly list: Builds; readonly read: Builds } => ({
  list: async (scene) => ({ by, path: (await made(scene)).path }),
  read: async (scene) => {
    const { at, changed, path } = await made(scene);
    const { owner } = scene.project;
    await scene.done(owner.put(changed, { state_event: 'close' }));
    const { body } = await scene.done(owner.get(`${at}/resource_state_events`));
    return { by, path: { ...path, resource_state_event_id: body[0].id } };
  },
});

const onIssue = callsOn(newIssueThing);
const onMergeRequest = callsOn(newMergeRequestThing, 'planner');
const onEpic = callsOn(newEpicThing);

export const examples: Examples<typeof endpoints> = {
  listIssueStateEvents: onIssue.list,
  readIssueStateEvent: onIssue.read,
  listMergeRequestStateEvents: onMergeRequest.list,
  readMergeRequestStateEvent: onMergeRequest.read,
  listEpicStateEvents: onEpic.list,
  readEpicStateEvent: onEpic.read,
};
