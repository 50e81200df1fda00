import type { Examples } from '../../../../test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  readMergeRequest: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  createMergeRequest: [
    async ({ project, name, newBranch }) => ({
      by: 'developer',
      path: { id: project.id },
      params: { title: name('Merge'), source_branch: await newBranch(), target_branch: 'main' },
    }),
    async ({ project, newBranch, newMergeRequest, newMilestone }) => ({
      by: 'developer',
      path: { id: project.id },
      params: {
        title: `As !${(await newMergeRequest()).iid}`,
        source_branch: await newBranch(),
        target_branch: 'main',
        milestone_id: (await newMilestone()).id,
      },
    }),
  ],
  listMergeRequestCommits: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  listMergeRequestDiffs: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  readMergeRequestChanges: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  mergeMergeRequest: async ({ project, newBranch, newMergeRequest }) => {
    const target_branch = await newBranch('main');
    const { iid } = await newMergeRequest({ target_branch });
    return { by: 'developer', path: { id: project.id, merge_request_iid: iid } };
  },
  readMergeRef: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
};
