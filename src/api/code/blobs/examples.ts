import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getBlob: ({ project, repository }) => ({ by: 'reporter', path: { id: project.id, sha: repository.blob } }),
  getRawBlob: ({ project, repository }) => ({ by: 'reporter', path: { id: project.id, sha: repository.blob } }),
};
