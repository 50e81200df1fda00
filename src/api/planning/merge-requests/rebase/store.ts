import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { momentAfter } from '#runtime/clock.ts';

/** The rows that say which merge requests are being rebased, each for as long as its lease. */

/** Longer than one attempt takes and the next one waits for; afterwards nobody is at it any more. */
const LEASE_MS = 15 * 60_000;

interface NewRebase {
  readonly id: number;
  readonly userId: number;
  readonly head: string;
  readonly skipCi: boolean;
}

/** False: somebody is at it. index: merge_request_rebases primary key */
export async function insertRebase(tx: Transaction, { id, userId, head, skipCi }: NewRebase): Promise<boolean> {
  const columns = { user_id: userId, head_sha: head, skip_ci: skipCi, lease_until: momentAfter(tx.now, LEASE_MS) };
  const begun = await tx
    .insertInto('merge_request_rebases')
    .values({ merge_request_id: id, ...columns })
    .onConflict((conflict) =>
      conflict.column('merge_request_id').doUpdateSet(columns).where('merge_request_rebases.lease_until', '<=', tx.now),
    )
    .returning('merge_request_id')
    .executeTakeFirst();
  return begun !== undefined;
}

/** What is to be done, for whoever does it from now on; undefined: nothing any more. index: merge_request_rebases primary key */
export function takeRebase(tx: Transaction, id: number) {
  return tx
    .updateTable('merge_request_rebases')
    .set({ lease_until: momentAfter(tx.now, LEASE_MS) })
    .where('merge_request_id', '=', id)
    .returning(['user_id', 'head_sha', 'skip_ci'])
    .executeTakeFirst();
}

/** The one that began at this head; false: it has ended before. index: merge_request_rebases primary key */
export async function endRebase(tx: Transaction, id: number, head: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('merge_request_rebases')
    .where('merge_request_id', '=', id)
    .where('head_sha', '=', head)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whichever it is: these have another head. index: merge_request_rebases primary key */
export async function endRebases(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('merge_request_rebases')
    .where(isAmong(tx, sql<number>`merge_request_id`, ids))
    .execute();
}

/** Those of these at which somebody is. index: merge_request_rebases primary key */
export async function rebasesUnderWay(db: Reader, ids: readonly number[], now: string): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('merge_request_rebases')
    .select('merge_request_id')
    .where('merge_request_id', 'in', ids)
    .where('lease_until', '>', now)
    .execute();
  return new Set(rows.map(({ merge_request_id }) => merge_request_id));
}
