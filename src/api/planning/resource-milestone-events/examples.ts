import type { Builds, CallerName, Examples } from '#test/examples/example.ts';
import { type NewIssuable, newIssueNoteable, newMergeRequestNoteable } from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

/** Calls for one kind of noteable. */
const buildExamples = (newNoteable: NewIssuable, by: CallerName): { readonly list: Builds; readonly get: Builds } => ({
  list: async (scene) => ({ by, path: (await newNoteable(scene)).path }),
  get: async (scene) => {
    const { url, urlByIid, path } = await newNoteable(scene);
    const { owner } = scene.project;
    await scene.expectSuccess(owner.put(urlByIid, { milestone_id: (await scene.newMilestone()).id }));
    const { body } = await scene.expectSuccess(owner.get(`${url}/resource_milestone_events`));
    return { by, path: { ...path, resource_milestone_event_id: body[0].id } };
  },
});

const onIssue = buildExamples(newIssueNoteable, 'guest');
const onMergeRequest = buildExamples(newMergeRequestNoteable, 'planner');

export const examples: Examples<typeof endpoints> = {
  listIssueMilestoneEvents: onIssue.list,
  getIssueMilestoneEvent: onIssue.get,
  listMergeRequestMilestoneEvents: onMergeRequest.list,
  getMergeRequestMilestoneEvent: onMergeRequest.get,
};
