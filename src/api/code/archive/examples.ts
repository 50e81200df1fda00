import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  downloadArchive: ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
  downloadArchiveAs: ({ project }) => ({ by: 'reporter', path: { id: project.id, suffix: '.zip' } }),
  downloadArchiveFile: ({ project: { path_with_namespace: id } }) => ({
    by: 'reporter',
    path: { id, ref_and_file: 'main/p-main.zip' },
  }),
};
