import type { SelectQueryBuilder } from 'kysely';
import type { Schema, Transaction } from '#database/database.ts';
import { PIECE } from '#events/batches.ts';

type Issues = SelectQueryBuilder<Schema, 'issues', { id: number }>;

/**
 * Some of these issues, a piece of them, get another iteration, or none; says how many. index: issues_by_iteration,
 * issues_by_project_iteration
 */
export async function giveIteration(
  tx: Transaction,
  iterationId: number | null,
  chosen: (issues: Issues) => Issues,
): Promise<number> {
  const some = chosen(tx.selectFrom('issues').select('issues.id')).limit(PIECE);
  const { numUpdatedRows } = await tx
    .updateTable('issues')
    .set({ iteration_id: iterationId })
    .where('id', 'in', some)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
