import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listTags: ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
  getTag: ({ project }) => ({ by: 'reporter', path: { id: project.id, tag_name: 'v1.0.0' } }),
  createTag: ({ project, name }) => ({
    by: 'developer',
    path: { id: project.id },
    params: { tag_name: name('tag'), ref: 'main' },
  }),
  deleteTag: async ({ project, newTag }) => ({ by: 'developer', path: { id: project.id, tag_name: await newTag() } }),
};
