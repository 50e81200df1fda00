import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getGroupExportStatus: ({ group }) => ({ by: 'owner', path: { id: group.id } }),
  getProjectExportStatus: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
};
