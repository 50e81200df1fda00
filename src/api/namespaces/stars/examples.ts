import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  starProject: async ({ newProject }) => ({ by: 'guest', path: { id: (await newProject()).id } }),
  unstarProject: async ({ newProject, callers, expectSuccess }) => {
    const { id } = await newProject();
    await expectSuccess(callers.guest.post(`/projects/${id}/star`));
    return { by: 'guest', path: { id } };
  },
  listProjectStarrers: ({ project }) => ({ by: 'guest', path: { id: project.id } }),
  listStarredProjects: ({ callers }) => ({ by: 'anonymous', path: { user_id: callers.developer.id } }),
};
