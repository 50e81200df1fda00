import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const createAction = (file_path: string) => ({ action: 'create', file_path, content: 'Text\n' });

export const examples: Examples<typeof endpoints> = {
  listCommits: ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
  getCommit: ({ project, repository }) => ({ by: 'reporter', path: { id: project.id, sha: repository.main } }),
  getCommitDiff: ({ project, repository }) => ({ by: 'reporter', path: { id: project.id, sha: repository.main } }),
  downloadCommitDiff: ({ project, repository }) => ({
    by: 'reporter',
    path: { id: project.path_with_namespace, sha: repository.main },
  }),
  downloadCommitPatch: ({ project, repository }) => ({
    by: 'reporter',
    path: { id: project.path_with_namespace, sha: repository.main },
  }),
  listCommitRefs: ({ project, repository }) => ({ by: 'reporter', path: { id: project.id, sha: repository.main } }),
  cherryPickCommit: async ({ project, repository, newBranch }) => ({
    by: 'developer',
    path: { id: project.id, sha: repository.feature },
    params: { branch: await newBranch(repository.main) },
  }),
  revertCommit: async ({ project, repository, newBranch }) => ({
    by: 'developer',
    path: { id: project.id, sha: repository.feature },
    params: { branch: await newBranch(repository.feature) },
  }),
  createCommit: [
    ({ project, name }) => ({
      by: 'developer',
      path: { id: project.id },
      params: { branch: 'feature', commit_message: 'Add a file', actions: [createAction(name('file'))] },
    }),
    ({ project, name }) => ({
      by: 'developer',
      path: { id: project.id },
      params: {
        branch: name('branch'),
        start_branch: 'main',
        commit_message: 'Add a file',
        actions: [createAction(name('file'))],
      },
    }),
    async ({ newEmptyProject }) => ({
      by: 'maintainer',
      path: { id: (await newEmptyProject()).id },
      params: { branch: 'main', commit_message: 'Begin', actions: [createAction('first.md')] },
    }),
  ],
};
