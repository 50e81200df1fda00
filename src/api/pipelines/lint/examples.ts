import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getCiLint: ({ project }) => ({ by: 'reporter', path: { id: project.id }, params: { include_jobs: true } }),
  createCiLint: ({ project }) => ({
    by: 'developer',
    path: { id: project.id },
    params: { content: 'unit: {script: make test}', dry_run: true, include_jobs: true },
  }),
};
