import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getProjectAbilities: ({ project }) => ({ by: 'guest', path: { id: project.id } }),
  getGroupAbilities: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  getUserAbilities: () => ({ by: 'stranger' }),
};
