import type { Builds, CallerName, Examples } from '#test/examples/example.ts';
import { type NewThing, newIssueThing, newMergeRequestThing } from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

/** The calls of a kind. */
const callsOn = (made: NewThing, by: CallerName): { readonly list: Builds; readonly read: Builds } => ({
  list: async (scene) => ({ by, path: (await made(scene)).path }),
  read: async (scene) => {
    const { at, changed, path } = await made(scene);
    const { owner } = scene.project;
    await scene.done(owner.put(changed, { milestone_id: (await scene.newMilestone()).id }));
    const { body } = await scene.done(owner.get(`${at}/resource_milestone_events`));
    return { by, path: { ...path, resource_milestone_event_id: body[0].id } };
  },
});

const onIssue = callsOn(newIssueThing, 'guest');
const onMergeRequest = callsOn(newMergeRequestThing, 'planner');

export const examples: Examples<typeof endpoints> = {
  listIssueMilestoneEvents: onIssue.list,
  readIssueMilestoneEvent: onIssue.read,
  listMergeRequestMilestoneEvents: onMergeRequest.list,
  readMergeRequestMilestoneEvent: onMergeRequest.read,
};
