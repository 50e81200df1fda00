import { deleteBatch, deleteKeyedBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

const OF_IMPORT = [
  { table: 'bulk_import_objects', column: 'bulk_import_id', key: ['kind', 'source_key', 'entity_id'] },
  { table: 'bulk_import_users', column: 'bulk_import_id', key: ['source_user_id'] },
] as const;

const OF_ENTITY = [
  { table: 'bulk_import_failures', column: 'entity_id', key: ['id'] },
  { table: 'bulk_import_trackers', column: 'entity_id', key: ['id'] },
] as const;

/**
 * A deleted user's imports go with him, and what is written down of them, of which there may be very much.
 * index: bulk_imports_by_user, bulk_import_entities_by_user, bulk_import_objects_pkey, bulk_import_users_pkey, bulk_import_failures_by_entity, bulk_import_trackers_by_relation
 */
export const deleteImportsOfUser = subscription({
  event: 'user-deleted',
  async inBatches(uow, { userId }) {
    const idsIn = async (table: 'bulk_imports' | 'bulk_import_entities') =>
      (await uow.selectFrom(table).select('id').where('user_id', '=', userId).limit(BATCH_SIZE).execute()).map(
        ({ id }) => id,
      );
    const [imports, entities] = [await idsIn('bulk_imports'), await idsIn('bulk_import_entities')];
    return nextBatch(
      ...OF_IMPORT.map((rows) => () => deleteKeyedBatch(uow, rows, imports, BATCH_SIZE)),
      ...OF_ENTITY.map((rows) => () => deleteKeyedBatch(uow, rows, entities, BATCH_SIZE)),
      () => deleteBatch(uow, { table: 'bulk_import_entities', column: 'user_id' }, userId, BATCH_SIZE),
      () => deleteBatch(uow, { table: 'bulk_imports', column: 'user_id' }, userId, BATCH_SIZE),
    );
  },
});
