import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listEvents: [
    () => ({ by: 'stranger' }),
    () => ({ by: 'owner', params: { scope: 'all', action: 'created', target_type: 'issue' } }),
  ],
  listUserEvents: [
    ({ callers }) => ({ by: 'anonymous', path: { user_id: callers.developer.username } }),
    ({ callers }) => ({ by: 'guest', path: { user_id: callers.owner.id }, params: { action: 'pushed' } }),
  ],
  countUserEvents: ({ callers }) => ({ by: 'anonymous', path: { user_id: callers.developer.username } }),
  countProjectEvents: ({ project }) => ({ by: 'guest', path: { id: project.id } }),
  listProjectEvents: [
    ({ project }) => ({ by: 'guest', path: { id: project.id } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { target_type: 'project', sort: 'asc' } }),
  ],
};
