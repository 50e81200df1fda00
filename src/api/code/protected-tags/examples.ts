import type { Build, Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

/** Example of a call on a new rule. */
const onNewRule: Build = async ({ project, name, callers, expectSuccess }) => {
  const rule = name('release');
  await expectSuccess(callers.owner.post(`/projects/${project.id}/protected_tags`, { name: rule }));
  return { by: 'maintainer', path: { id: project.id, name: rule } };
};

export const examples: Examples<typeof endpoints> = {
  listProtectedTags: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  getProtectedTag: onNewRule,
  createProtectedTag: ({ project, name }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { name: name('release') },
  }),
  deleteProtectedTag: onNewRule,
};
