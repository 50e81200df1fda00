import type { Examples } from '../../../../test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listEnvironments: ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
  readEnvironment: async ({ project, newEnvironment }) => ({
    by: 'reporter',
    path: { id: project.id, environment_id: (await newEnvironment()).id },
  }),
  createEnvironment: ({ project, name }) => ({
    by: 'developer',
    path: { id: project.id },
    params: { name: name('environment'), external_url: 'https://shop.example', tier: 'staging' },
  }),
};
