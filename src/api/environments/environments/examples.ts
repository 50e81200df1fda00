import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listEnvironments: [
    ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
    ({ project }) => ({ by: 'reporter', path: { id: project.id }, params: { search: 'rev', states: 'stopped' } }),
    ({ project }) => ({ by: 'reporter', path: { id: project.id }, params: { name: 'production' } }),
  ],
  getEnvironment: async ({ project, newEnvironment }) => ({
    by: 'reporter',
    path: { id: project.id, environment_id: (await newEnvironment()).id },
  }),
  createEnvironment: ({ project, name }) => ({
    by: 'developer',
    path: { id: project.id },
    params: { name: name('environment'), external_url: 'https://shop.example', tier: 'staging' },
  }),
  updateEnvironment: async ({ project, newEnvironment }) => ({
    by: 'developer',
    path: { id: project.id, environment_id: (await newEnvironment()).id },
    params: { external_url: 'https://shop.example', tier: 'staging' },
  }),
  deleteReviewApps: async ({ project, newEnvironment, name }) => {
    await newEnvironment({ name: `review/${name('app')}`, stopped: true });
    return { by: 'developer', path: { id: project.id }, params: { before: '2099-01-01T00:00:00Z' } };
  },
  deleteEnvironment: async ({ project, newEnvironment }) => ({
    by: 'developer',
    path: { id: project.id, environment_id: (await newEnvironment({ stopped: true })).id },
  }),
  stopStaleEnvironments: ({ project }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { before: '2025-01-01' },
  }),
  stopEnvironment: async ({ project, newEnvironment }) => ({
    by: 'developer',
    path: { id: project.id, environment_id: (await newEnvironment()).id },
    params: { force: true },
  }),
};
