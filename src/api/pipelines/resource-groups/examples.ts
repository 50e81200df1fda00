import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listResourceGroups: ({ project }) => ({ by: 'developer', path: { id: project.id } }),
  getResourceGroup: async ({ project, newResourceGroup }) => ({
    by: 'developer',
    path: { id: project.id, key: await newResourceGroup() },
  }),
  updateResourceGroup: async ({ project, newResourceGroup }) => ({
    by: 'developer',
    path: { id: project.id, key: await newResourceGroup() },
    params: { process_mode: 'newest_first' },
  }),
};
