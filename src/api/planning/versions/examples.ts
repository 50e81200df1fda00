import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listMergeRequestVersions: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  getMergeRequestVersion: async ({ project, newMergeRequest, callers, expectSuccess }) => {
    const { iid } = await newMergeRequest();
    const versions = await expectSuccess(callers.owner.get(`${project.at}/merge_requests/${iid}/versions`));
    return {
      by: 'reporter',
      path: { id: project.id, merge_request_iid: iid, version_id: versions.body[0].id },
    };
  },
};
