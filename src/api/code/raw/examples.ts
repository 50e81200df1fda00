import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getFileForBrowser: ({ project }) => ({
    by: 'reporter',
    path: { id: project.path_with_namespace, ref_path: 'main/README.md' },
  }),
};
