import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listGroupProjects: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  listSharedProjects: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  transferProjectToGroup: async ({ newProject, newGroup }) => ({
    by: 'administrator',
    path: { id: (await newGroup()).id, project_id: (await newProject()).id },
  }),
};
