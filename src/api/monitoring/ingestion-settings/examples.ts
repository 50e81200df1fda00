import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getIngestionSettings: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  updateIngestionSettings: ({ project }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { events_per_minute: 600, retention_days: 30 },
  }),
};
