import { type SqlBool, sql } from 'kysely';
import { deleteKeyedBatch, deleteLargeRowBatch } from '#database/batch-statements.ts';
import type { Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE } from '#events/batches.ts';

/** What is counted of errors apart from their events, by error: an error may have as many users as there are. */
const COUNTED = [
  { table: 'error_users', column: 'error_id', key: ['user_key'] },
  { table: 'error_environments', column: 'error_id', key: ['environment'] },
  { table: 'error_hours', column: 'error_id', key: ['hour'] },
] as const;

/**
 * Removes errors that have no events any more, by so many rows at a time: first what is counted of them, then themselves.
 * Returns as `pieceOf` asks: PIECE while there may be more.
 * index: error_users primary key, error_environments primary key, error_hours primary key, errors primary key
 */
export async function removeErrors(tx: Transaction, errorIds: readonly number[]): Promise<number> {
  if (errorIds.length === 0) return 0;
  let gone = 0;
  for (const counted of COUNTED) gone += await deleteKeyedBatch(tx, counted, errorIds, BATCH_SIZE - gone);
  if (gone === BATCH_SIZE) return BATCH_SIZE;
  const some = errorIds.slice(0, BATCH_SIZE - gone);
  await tx
    .deleteFrom('errors')
    .where(isInIds(tx, sql.ref('id'), some))
    .execute();
  return some.length < errorIds.length ? BATCH_SIZE : errorIds.length;
}

/**
 * Removes events of a project, those that came before this moment if there is one, by so many bytes of them at a time. Returns
 * as `pieceOf` asks. index: error_events_by_receipt
 */
export function removeEvents(tx: Transaction, projectId: number, before: string | null = null): Promise<number> {
  const ofProject = sql<SqlBool>`project_id = ${projectId}`;
  const where = before === null ? ofProject : sql<SqlBool>`${ofProject} and received_at < ${before}`;
  return deleteLargeRowBatch(tx, { table: 'error_events', text: 'payload' }, where, BATCH_SIZE);
}
