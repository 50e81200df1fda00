import type { Builds, CallerName, Examples } from '#test/examples/example.ts';
import {
  type NewIssuable,
  newEpicNoteable,
  newIssueNoteable,
  newMergeRequestNoteable,
} from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

/** Calls for one kind of noteable. */
const buildExamples = (
  newNoteable: NewIssuable,
  by: CallerName = 'guest',
): { readonly list: Builds; readonly get: Builds } => ({
  list: async (scene) => ({ by, path: (await newNoteable(scene)).path }),
  get: async (scene) => {
    const { url, urlByIid, path } = await newNoteable(scene);
    const { owner } = scene.project;
    await scene.expectSuccess(owner.put(urlByIid, { labels: 'bug' }));
    const { body } = await scene.expectSuccess(owner.get(`${url}/resource_label_events`));
    return { by, path: { ...path, event_id: body[0].id } };
  },
});

const onIssue = buildExamples(newIssueNoteable);
const onMergeRequest = buildExamples(newMergeRequestNoteable, 'planner');
const onEpic = buildExamples(newEpicNoteable);

export const examples: Examples<typeof endpoints> = {
  listIssueLabelEvents: onIssue.list,
  getIssueLabelEvent: onIssue.get,
  listMergeRequestLabelEvents: onMergeRequest.list,
  getMergeRequestLabelEvent: onMergeRequest.get,
  listEpicLabelEvents: onEpic.list,
  getEpicLabelEvent: onEpic.get,
};
