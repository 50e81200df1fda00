import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listNamespaces: () => ({ by: 'stranger' }),
  getNamespace: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  getNamespaceExistence: ({ group }) => ({ by: 'stranger', path: { path: group.full_path } }),
};
