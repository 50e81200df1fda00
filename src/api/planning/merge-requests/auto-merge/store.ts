import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';

// Rows of merge requests with auto-merge enabled. The column `options` contains the options and the head as JSON.

/** Stored options of an auto-merge. */
export interface AutoMergeOptions {
  readonly merge_commit_message?: string | null | undefined;
  readonly squash_commit_message?: string | null | undefined;
  readonly should_remove_source_branch?: boolean | null | undefined;
}

interface AutoMerge {
  readonly userId: number;
  /** The head to merge; a later head is not merged. */
  readonly head: string;
  readonly options: AutoMergeOptions;
}

/** Inserts or replaces the row. index: merge_request_auto_merges primary key */
export async function upsertAutoMerge(
  tx: Transaction,
  id: number,
  { userId, head, options }: AutoMerge,
): Promise<void> {
  const columns = { user_id: userId, options: JSON.stringify({ ...options, head }), created_at: tx.now };
  await tx
    .insertInto('merge_request_auto_merges')
    .values({ merge_request_id: id, ...columns })
    .onConflict((conflict) => conflict.column('merge_request_id').doUpdateSet(columns))
    .execute();
}

/** Returns the row, or null if auto-merge is not enabled. index: merge_request_auto_merges primary key */
export async function findAutoMerge(db: Reader, id: number): Promise<AutoMerge | null> {
  const row = await db
    .selectFrom('merge_request_auto_merges')
    .select(['user_id', 'options'])
    .where('merge_request_id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { head, ...options } = JSON.parse(row.options) as AutoMergeOptions & Pick<AutoMerge, 'head'>;
  return { userId: row.user_id, head, options };
}

/** Returns whether auto-merge is enabled. index: merge_request_auto_merges primary key */
export function hasAutoMerge(db: Reader, id: number): Promise<boolean> {
  return hasRow(
    db.selectFrom('merge_request_auto_merges').select('merge_request_id').where('merge_request_id', '=', id),
  );
}

/**
 * Disables auto-merge and clears the stored choice about the source branch. Returns the deleted rows, each with the user who enabled it.
 * index: merge_request_auto_merges primary key, merge_requests primary key
 */
export async function deleteAutoMerges(tx: Transaction, ids: readonly number[]) {
  const deletedMerges = await tx
    .deleteFrom('merge_request_auto_merges')
    .where(isInIds(tx, sql<number>`merge_request_id`, ids))
    .returning(['merge_request_id as id', 'user_id as userId'])
    .execute();
  const deletedIds = deletedMerges.map(({ id }) => id);
  if (deletedIds.length > 0) {
    await tx
      .updateTable('merge_requests')
      .set({ should_remove_source_branch: null })
      .where(isInIds(tx, sql<number>`id`, deletedIds))
      .where('state', '<>', 'merged')
      .execute();
  }
  return deletedMerges;
}
