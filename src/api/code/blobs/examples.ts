import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  readBlob: ({ project, repository }) => ({ by: 'reporter', path: { id: project.id, sha: repository.blob } }),
  readRawBlob: ({ project, repository }) => ({ by: 'reporter', path: { id: project.id, sha: repository.blob } }),
};
