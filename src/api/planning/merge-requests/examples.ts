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
};
