import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getMergeBase: ({ project }) => ({
    by: 'reporter',
    path: { id: project.id },
    params: { refs: ['main', 'feature'] },
  }),
};
