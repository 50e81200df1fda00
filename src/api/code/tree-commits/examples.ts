import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listTreeCommits: ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
};
