import { deleteBatch, deleteKeyedBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/** Tables with many rows per import. `key`: the other columns of the unique key. */
const TABLES_OF_IMPORT = [
  { table: 'bulk_import_objects', column: 'bulk_import_id', key: ['kind', 'source_key', 'entity_id'] },
  { table: 'bulk_import_users', column: 'bulk_import_id', key: ['source_user_id'] },
] as const;

/** Tables with many rows per entity. */
const TABLES_OF_ENTITY = [
  { table: 'bulk_import_failures', column: 'entity_id', key: ['id'] },
  { table: 'bulk_import_trackers', column: 'entity_id', key: ['id'] },
] as const;

/**
 * Deletes the imports of a deleted user with all their rows, in batches because there may be very many.
 * index: bulk_imports_by_user, bulk_import_entities_by_user, bulk_import_objects_pkey, bulk_import_users_pkey, bulk_import_failures_by_entity, bulk_import_trackers_by_relation
 */
export const deleteImportsOfUser = defineSubscription({
  event: 'user-deleted',
  async inBatches(uow, { userId }) {
    const listIds = async (table: 'bulk_imports' | 'bulk_import_entities') =>
      (await uow.selectFrom(table).select('id').where('user_id', '=', userId).limit(BATCH_SIZE).execute()).map(
        ({ id }) => id,
      );
    const [importIds, entityIds] = [await listIds('bulk_imports'), await listIds('bulk_import_entities')];
    return runBatchSteps(
      ...TABLES_OF_IMPORT.map((keyedTable) => () => deleteKeyedBatch(uow, keyedTable, importIds, BATCH_SIZE)),
      ...TABLES_OF_ENTITY.map((keyedTable) => () => deleteKeyedBatch(uow, keyedTable, entityIds, BATCH_SIZE)),
      () => deleteBatch(uow, { table: 'bulk_import_entities', column: 'user_id' }, userId, BATCH_SIZE),
      () => deleteBatch(uow, { table: 'bulk_imports', column: 'user_id' }, userId, BATCH_SIZE),
    );
  },
});
