import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listErrors: [
    ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
    ({ project }) => ({ by: 'reporter', path: { id: project.id }, params: { sort: 'first_seen', search: 'zero' } }),
    ({ project }) => ({ by: 'reporter', path: { id: project.id }, params: { sort: 'frequency', status: 'ignored' } }),
  ],
  getError: async ({ project, newError }) => ({
    by: 'reporter',
    path: { id: project.id, error_id: (await newError()).id },
  }),
  updateError: async ({ project, newError }) => ({
    by: 'developer',
    path: { id: project.id, error_id: (await newError()).id },
    params: { status: 'resolved' },
  }),
  listErrorEvents: async ({ project, newError }) => ({
    by: 'reporter',
    path: { id: project.id, error_id: (await newError()).id },
    params: { sort: 'asc' },
  }),
  getErrorEvent: async ({ project, newError }) => {
    const { id, event } = await newError();
    return { by: 'reporter', path: { id: project.id, error_id: id, event_id: event } };
  },
};
