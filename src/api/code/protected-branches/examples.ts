import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

async function createRule({ project, name, callers, expectSuccess }: Scene): Promise<string> {
  const rule = name('release');
  await expectSuccess(callers.owner.post(`/projects/${project.id}/protected_branches`, { name: rule }));
  return rule;
}

export const examples: Examples<typeof endpoints> = {
  listProtectedBranches: ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
  getProtectedBranch: ({ project }) => ({ by: 'reporter', path: { id: project.id, name: 'main' } }),
  createProtectedBranch: ({ project, name }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { name: name('release') },
  }),
  updateProtectedBranch: async (scene) => ({
    by: 'maintainer',
    path: { id: scene.project.id, name: await createRule(scene) },
    params: { allow_force_push: true },
  }),
  deleteProtectedBranch: async (scene) => ({
    by: 'maintainer',
    path: { id: scene.project.id, name: await createRule(scene) },
  }),
};
