import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { addMilliseconds } from '#runtime/clock.ts';

/** Rows of requested rebases, each valid until its lease ends. */

/** Duration of a lease: longer than one attempt and the delay before the next. After it the rebase counts as abandoned. */
const LEASE_MS = 15 * 60_000;

/** A requested rebase. */
export interface NewRebase {
  /** Id of the merge request. */
  readonly id: number;
  readonly userId: number;
  readonly head: string;
  readonly skipCi: boolean;
}

/** Inserts a request. Returns false if a rebase is in progress. index: merge_request_rebases primary key */
export async function insertRebase(tx: Transaction, { id, userId, head, skipCi }: NewRebase): Promise<boolean> {
  const columns = { user_id: userId, head_sha: head, skip_ci: skipCi, lease_until: addMilliseconds(tx.now, LEASE_MS) };
  const insertedRow = await tx
    .insertInto('merge_request_rebases')
    .values({ merge_request_id: id, ...columns })
    .onConflict((conflict) =>
      conflict.column('merge_request_id').doUpdateSet(columns).where('merge_request_rebases.lease_until', '<=', tx.now),
    )
    .returning('merge_request_id')
    .executeTakeFirst();
  return insertedRow !== undefined;
}

/** Renews the lease and returns the request, or undefined if there is none. index: merge_request_rebases primary key */
export function leaseRebase(tx: Transaction, id: number) {
  return tx
    .updateTable('merge_request_rebases')
    .set({ lease_until: addMilliseconds(tx.now, LEASE_MS) })
    .where('merge_request_id', '=', id)
    .returning(['user_id', 'head_sha', 'skip_ci'])
    .executeTakeFirst();
}

/** Deletes the request for this head. Returns whether it existed. index: merge_request_rebases primary key */
export async function deleteRebase(tx: Transaction, id: number, head: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('merge_request_rebases')
    .where('merge_request_id', '=', id)
    .where('head_sha', '=', head)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes the requests of merge requests whose head has changed. index: merge_request_rebases primary key */
export async function deleteRebases(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('merge_request_rebases')
    .where(isInIds(tx, sql<number>`merge_request_id`, ids))
    .execute();
}

/** Returns the ids with a rebase in progress. index: merge_request_rebases primary key */
export async function findActiveRebases(db: Reader, ids: readonly number[], now: string): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('merge_request_rebases')
    .select('merge_request_id')
    .where('merge_request_id', 'in', ids)
    .where('lease_until', '>', now)
    .execute();
  return new Set(rows.map(({ merge_request_id }) => merge_request_id));
}
