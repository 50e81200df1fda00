import type { SelectQueryBuilder } from 'kysely';
import type { Schema, Transaction } from '#database/database.ts';
import { BATCH_SIZE } from '#events/batches.ts';

type IssueIdQuery = SelectQueryBuilder<Schema, 'issues', { id: number }>;

/**
 * Sets or clears (null) the iteration of one batch of the selected issues. Returns the size of the batch. index: issues_by_iteration,
 * issues_by_project_iteration
 */
export async function assignIterationBatch(
  tx: Transaction,
  iterationId: number | null,
  selectIssues: (issues: IssueIdQuery) => IssueIdQuery,
): Promise<number> {
  const batch = selectIssues(tx.selectFrom('issues').select('issues.id')).limit(BATCH_SIZE);
  const { numUpdatedRows } = await tx
    .updateTable('issues')
    .set({ iteration_id: iterationId })
    .where('id', 'in', batch)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
