import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listCommitStatuses: async ({ project, repository, newCommitStatus }) => {
    await newCommitStatus();
    return { by: 'guest', path: { id: project.id, sha: repository.main } };
  },
  createCommitStatus: ({ project, repository, name }) => ({
    by: 'developer',
    path: { id: project.id, sha: repository.main },
    params: { state: 'success', ref: 'feature', name: name('check') },
  }),
};
