import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';
import { insertImportWithFailure } from './fixtures.testing.ts';

const createEndedImport = ({ callers, server }: Scene) => insertImportWithFailure(server, callers.stranger.id);

export const examples: Examples<typeof endpoints> = {
  // The server imports from itself, because tests have no other server.
  createBulkImport: async ({ server, callers, newGroup, name }) => {
    const configuration = { url: server.address, access_token: callers.owner.token };
    const source = { source_type: 'group_entity', source_full_path: (await newGroup()).path };
    const entities = [
      { ...source, destination_namespace: '', destination_slug: name('copy'), migrate_memberships: false },
    ];
    return { by: 'stranger', params: { configuration, entities } };
  },
  listBulkImports: () => ({ by: 'stranger' }),
  listAllBulkImportEntities: () => ({ by: 'stranger' }),
  getBulkImport: async (scene) => ({ by: 'stranger', path: { import_id: (await createEndedImport(scene)).id } }),
  listBulkImportEntities: async (scene) => ({
    by: 'stranger',
    path: { import_id: (await createEndedImport(scene)).id },
  }),
  getBulkImportEntity: async (scene) => {
    const { id, entity } = await createEndedImport(scene);
    return { by: 'stranger', path: { import_id: id, entity_id: entity } };
  },
  listBulkImportFailures: async (scene) => {
    const { id, entity } = await createEndedImport(scene);
    return { by: 'stranger', path: { import_id: id, entity_id: entity } };
  },
  cancelBulkImport: async (scene) => ({ by: 'stranger', path: { import_id: (await createEndedImport(scene)).id } }),
};
