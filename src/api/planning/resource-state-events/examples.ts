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
    await scene.expectSuccess(owner.put(urlByIid, { state_event: 'close' }));
    const { body } = await scene.expectSuccess(owner.get(`${url}/resource_state_events`));
    return { by, path: { ...path, resource_state_event_id: body[0].id } };
  },
});

const onIssue = buildExamples(newIssueNoteable);
const onMergeRequest = buildExamples(newMergeRequestNoteable, 'planner');
const onEpic = buildExamples(newEpicNoteable);

export const examples: Examples<typeof endpoints> = {
  listIssueStateEvents: onIssue.list,
  getIssueStateEvent: onIssue.get,
  listMergeRequestStateEvents: onMergeRequest.list,
  getMergeRequestStateEvent: onMergeRequest.get,
  listEpicStateEvents: onEpic.list,
  getEpicStateEvent: onEpic.get,
};
