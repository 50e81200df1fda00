import { type SqlBool, sql } from 'kysely';
import { deleteLargeRowBatch, deleteWithChildren } from '#database/batch-statements.ts';
import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import { ERRORS } from '#events/owned-rows.ts';

/** Deletes up to BATCH_SIZE rows of errors without events: first their aggregates, then the errors. Returns their number; BATCH_SIZE while there may be more. */
export function deleteErrorBatch(tx: Transaction, errorIds: readonly number[]): Promise<number> {
  return deleteWithChildren(tx, ERRORS, errorIds, BATCH_SIZE);
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
