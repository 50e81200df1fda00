import type { SelectQueryBuilder } from 'kysely';
import type { Schema, Transaction } from '#database/database.ts';
import { BATCH_SIZE } from '#events/batches.ts';

type Issues = SelectQueryBuilder<Schema, 'issues', { id: number }>;

/**
 * Sets or clears (null) the iteration of one batch of these issues and returns their number. index: issues_by_iteration,
 * issues_by_project_iteration
 */
export async function assignIterationBatch(
  tx: Transaction,
  iterationId: number | null,
  select: (issues: Issues) => Issues,
): Promise<number> {
  const batch = select(tx.selectFrom('issues').select('issues.id')).limit(BATCH_SIZE);
  const { numUpdatedRows } = await tx
    .updateTable('issues')
    .set({ iteration_id: iterationId })
    .where('id', 'in', batch)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
