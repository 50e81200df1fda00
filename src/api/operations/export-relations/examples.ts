import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  readGroupExportStatus: ({ group }) => ({ by: 'owner', path: { id: group.id } }),
  readProjectExportStatus: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
};
