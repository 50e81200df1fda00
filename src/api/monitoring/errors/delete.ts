import { type SqlBool, sql } from 'kysely';
import { deleteKeyedBatch, deleteLargeRowBatch } from '#database/batch-statements.ts';
import type { Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE } from '#events/batches.ts';

/** Tables with aggregates of errors. An error may have any number of users. */
const AGGREGATE_TABLES = [
  { table: 'error_users', column: 'error_id', key: ['user_key'] },
  { table: 'error_environments', column: 'error_id', key: ['environment'] },
  { table: 'error_hours', column: 'error_id', key: ['hour'] },
] as const;

/**
 * Deletes up to BATCH_SIZE rows of errors without events: first their aggregates, then the errors.
 * Returns the number of deleted rows, as `runBatchSteps` expects: BATCH_SIZE while there may be more.
 * index: error_users primary key, error_environments primary key, error_hours primary key, errors primary key
 */
export async function deleteErrorBatch(tx: Transaction, errorIds: readonly number[]): Promise<number> {
  if (errorIds.length === 0) return 0;
  let deletedCount = 0;
  for (const table of AGGREGATE_TABLES)
    deletedCount += await deleteKeyedBatch(tx, table, errorIds, BATCH_SIZE - deletedCount);
  if (deletedCount === BATCH_SIZE) return BATCH_SIZE;
  const batch = errorIds.slice(0, BATCH_SIZE - deletedCount);
  await tx
    .deleteFrom('errors')
    .where(isInIds(tx, sql.ref('id'), batch))
    .execute();
  // Errors remain if the aggregates took a part of the batch.
  return batch.length < errorIds.length ? BATCH_SIZE : errorIds.length;
}

/**
 * Deletes a batch of events of a project, limited by size. `before`: only events received before this timestamp.
 * Returns the number of deleted rows, as `runBatchSteps` expects. index: error_events_by_receipt
 */
export function deleteEventBatch(tx: Transaction, projectId: number, before: string | null = null): Promise<number> {
  const projectCondition = sql<SqlBool>`project_id = ${projectId}`;
  const where = before === null ? projectCondition : sql<SqlBool>`${projectCondition} and received_at < ${before}`;
  return deleteLargeRowBatch(tx, { table: 'error_events', text: 'payload' }, where, BATCH_SIZE);
}
