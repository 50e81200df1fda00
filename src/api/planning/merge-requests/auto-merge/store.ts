import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { hasRow } from '#database/has-row.ts';

/** The rows that say which merge requests are to be merged by themselves. */

/** What is kept of what was said of the merge. */
export interface KeptWish {
  readonly merge_commit_message?: string | null | undefined;
  readonly squash_commit_message?: string | null | undefined;
  readonly squash?: boolean | null | undefined;
  readonly should_remove_source_branch?: boolean | null | undefined;
}

interface AutoMerge {
  readonly userId: number;
  /** What is to be merged, and nothing that comes later; undefined: an older version has not written it down. */
  readonly head: string | undefined;
  readonly wish: KeptWish;
}

/** In place of what was there. index: merge_request_auto_merges primary key */
export async function putAutoMerge(tx: Transaction, id: number, { userId, head, wish }: AutoMerge): Promise<void> {
  const columns = { user_id: userId, wish: JSON.stringify({ ...wish, head }), created_at: tx.now };
  await tx
    .insertInto('merge_request_auto_merges')
    .values({ merge_request_id: id, ...columns })
    .onConflict((conflict) => conflict.column('merge_request_id').doUpdateSet(columns))
    .execute();
}

/** Null: it is not on. index: merge_request_auto_merges primary key */
export async function findAutoMerge(db: Reader, id: number): Promise<AutoMerge | null> {
  const row = await db
    .selectFrom('merge_request_auto_merges')
    .select(['user_id', 'wish'])
    .where('merge_request_id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { head, ...wish } = JSON.parse(row.wish) as KeptWish & Pick<AutoMerge, 'head'>;
  return { userId: row.user_id, head, wish };
}

/** index: merge_request_auto_merges primary key */
export function isAutoMerged(db: Reader, id: number): Promise<boolean> {
  return hasRow(
    db.selectFrom('merge_request_auto_merges').select('merge_request_id').where('merge_request_id', '=', id),
  );
}

interface Ended {
  readonly id: number;
  /** In whose name it was to be merged. */
  readonly userId: number;
}

/**
 * Those of these that were to be merged by themselves are no longer, and what was said of their source branches counts no more.
 * index: merge_request_auto_merges primary key, merge_requests primary key
 */
export async function takeAutoMerges(tx: Transaction, ids: readonly number[]): Promise<Ended[]> {
  const rows = await tx
    .deleteFrom('merge_request_auto_merges')
    .where(isAmong(tx, sql<number>`merge_request_id`, ids))
    .returning(['merge_request_id', 'user_id'])
    .execute();
  const ended = rows.map(({ merge_request_id, user_id }) => ({ id: merge_request_id, userId: user_id }));
  if (ended.length > 0) await forgetRemoval(tx, ended);
  return ended;
}

async function forgetRemoval(tx: Transaction, ended: readonly Ended[]): Promise<void> {
  const ids = ended.map(({ id }) => id);
  await tx
    .updateTable('merge_requests')
    .set({ should_remove_source_branch: null })
    .where(isAmong(tx, sql<number>`id`, ids))
    .where('state', '<>', 'merged')
    .execute();
}
