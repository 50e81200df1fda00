import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listBranches: ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
  getBranch: ({ project }) => ({ by: 'reporter', path: { id: project.id, branch: 'main' } }),
  checkBranchExists: ({ project }) => ({ by: 'reporter', path: { id: project.id, branch: 'main' } }),
  createBranch: [
    ({ project, name }) => ({
      by: 'developer',
      path: { id: project.id },
      params: { branch: name('branch'), ref: 'main' },
    }),
    async ({ newEmptyProject }) => ({
      by: 'maintainer',
      path: { id: (await newEmptyProject()).id },
      params: { branch: 'first', ref: 'main' },
    }),
  ],
  deleteBranch: async ({ project, newBranch }) => ({
    by: 'developer',
    path: { id: project.id, branch: await newBranch() },
  }),
  deleteMergedBranches: async ({ newProject, callers: { owner }, expectSuccess }) => {
    const { id } = await newProject();
    const repository = `/projects/${id}/repository`;
    await expectSuccess(owner.post(`${repository}/branches`, { branch: 'merged', ref: 'main' }));
    const file = { branch: 'main', content: 'Text\n', commit_message: 'Add a file' };
    await expectSuccess(owner.post(`${repository}/files/file.md`, file));
    return { by: 'developer', path: { id } };
  },
  protectBranch: async ({ project, newBranch }) => ({
    by: 'maintainer',
    path: { id: project.id, branch: await newBranch() },
  }),
  unprotectBranch: async ({ project, newBranch, callers, expectSuccess }) => {
    const branch = await newBranch();
    await expectSuccess(callers.owner.post(`/projects/${project.id}/protected_branches`, { name: branch }));
    return { by: 'maintainer', path: { id: project.id, branch } };
  },
};
