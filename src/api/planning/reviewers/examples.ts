import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listMergeRequestReviewers: async ({ project, newMergeRequest, callers }) => {
    const { iid } = await newMergeRequest({ reviewer_ids: [callers.developer.id, callers.reporter.id] });
    return { by: 'planner', path: { id: project.id, merge_request_iid: iid } };
  },
};
