import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getIncidentManagementSettings: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  updateIncidentManagementSettings: async ({ newProject }) => ({
    by: 'maintainer',
    path: { id: (await newProject()).id },
    params: { create_issue: true },
  }),
};
