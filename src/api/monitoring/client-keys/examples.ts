import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listClientKeys: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  createClientKey: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  deleteClientKey: async ({ project, callers, expectSuccess }) => {
    const { body } = await expectSuccess(callers.owner.post(`${project.at}/error_tracking/client_keys`));
    // Must exist: an invalid id yields 404 instead of a parameter error.
    return { by: 'maintainer', path: { id: project.id, key_id: String(body.id) } };
  },
};
