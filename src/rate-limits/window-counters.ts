import type { Database, Reader, Transaction } from '#database/database.ts';
import { sweepInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob } from '#jobs/job.ts';
import { keptAtMost } from '#runtime/bounded-cache.ts';

/** How often something was asked for in one fixed window of time. */
export interface Window {
  /** What is counted, and for whom. */
  readonly key: string;
  /** The window's number: unix seconds divided by its length, rounded down. */
  readonly period: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** The window of so many seconds in which a moment lies. Windows of all keys begin at the same moments. */
export function windowAt(now: Date, key: string, seconds: number): Window {
  const period = Math.floor(now.getTime() / 1000 / seconds);
  return { key, period, endsAt: (period + 1) * seconds * 1000 };
}

/** Counts one more and tells how many there are, all processes together. */
export async function countInDatabase(tx: Transaction, { key, period, endsAt }: Window): Promise<number> {
  const ends_at = new Date(endsAt).toISOString();
  const { count } = await tx
    .insertInto('limit_counts')
    .values({ key, period, count: 1, ends_at })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        period,
        ends_at,
        count: eb
          .case()
          .when('limit_counts.period', '=', period)
          .then(eb('limit_counts.count', '+', 1))
          .else(1)
          .end(),
      })),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count;
}

/** How many there are, without one more. index: limit_counts primary key */
export async function readCount(db: Reader, { key, period }: Window): Promise<number> {
  const counted = db.selectFrom('limit_counts').select('count').where('key', '=', key).where('period', '=', period);
  return (await counted.executeTakeFirst())?.count ?? 0;
}

/** Counts requests as they come in: in memory where one process is alone with its database, else in the database. */
export type CountRequest = (window: Window) => Promise<number> | number;

export function createRequestCounts(database: Database, alone: boolean): CountRequest {
  if (alone) return countInMemory();
  return (window) => database.transaction((tx) => countInDatabase(tx, window), { isolation: 'read committed' });
}

/** Addresses and users that are counted at most; beyond them the longest unseen begin again. */
const COUNTED = 100_000;

function countInMemory(): CountRequest {
  const counts = keptAtMost<{ period: number; count: number }>(COUNTED);
  return ({ key, period }) => {
    const known = counts.get(key);
    if (known?.period === period) return ++known.count;
    counts.set(key, { period, count: 1 });
    return 1;
  };
}

const BATCH = 1_000;

/** Deletes the counts of windows that are over. */
export const sweepCounts = defineJob({
  kind: 'sweep_limit_counts',
  handle: ({ database }: { readonly database: Database }) => sweepInBatches(database, BATCH, deleteOldCounts),
});

async function deleteOldCounts(tx: Transaction, most: number): Promise<number> {
  // index: limit_counts_by_end
  const old = tx.selectFrom('limit_counts').select('key').where('ends_at', '<=', tx.now).limit(most);
  const found = tx.deleteFrom('limit_counts').where('key', 'in', old);
  // Asked of the row itself once more: a request may have begun its next window since it was found.
  const deleted = await found.where('ends_at', '<=', tx.now).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

export const sweepCountsDaily = { name: 'sweep_limit_counts', cron: '20 4 * * *', job: sweepCounts };
