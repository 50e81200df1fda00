import type { Database, Reader, Transaction } from '#database/database.ts';
import { defineJob, deleteInBatches } from '#jobs/job.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';

/** A fixed window of time in which requests are counted. */
export interface Window {
  readonly key: string;
  /** Number of the window: Unix time divided by the window length, rounded down. */
  readonly period: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** Returns the window of `seconds` length that contains `now`. Windows of all keys start at the same times. */
export function getRateLimitWindow(now: Date, key: string, seconds: number): Window {
  const period = Math.floor(now.getTime() / 1000 / seconds);
  return { key, period, endsAt: (period + 1) * seconds * 1000 };
}

/** Increments the count of a window across all processes and returns it. */
export async function incrementCount(tx: Transaction, { key, period, endsAt }: Window): Promise<number> {
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

/** Returns the count of a window without incrementing it. index: limit_counts primary key */
export async function readCount(db: Reader, { key, period }: Window): Promise<number> {
  const query = db.selectFrom('limit_counts').select('count').where('key', '=', key).where('period', '=', period);
  return (await query.executeTakeFirst())?.count ?? 0;
}

/** Increments the count of a window and returns it. Counts are in memory with a single process, else in the database. */
export type CountRequest = (window: Window) => Promise<number> | number;

/** Creates a counter in memory for a single process, else in the database. */
export function createRequestCounter(database: Database, isOnlyProcess: boolean): CountRequest {
  if (isOnlyProcess) return createMemoryCounter();
  return (window) => database.transaction((tx) => incrementCount(tx, window), { isolation: 'read committed' });
}

/** Maximum number of counters in memory; the least recently used start again. */
const MAX_COUNTERS = 100_000;

function createMemoryCounter(): CountRequest {
  const counts = createBoundedCache<{ period: number; count: number }>(MAX_COUNTERS);
  return ({ key, period }) => {
    const counter = counts.get(key);
    if (counter?.period === period) return ++counter.count;
    counts.set(key, { period, count: 1 });
    return 1;
  };
}

const BATCH_SIZE = 1_000;

/** Deletes the counts of past windows. */
export const cleanUpCountsJob = defineJob({
  kind: 'clean_up_rate_limit_counts',
  handle: ({ database }: { readonly database: Database }) => deleteInBatches(database, BATCH_SIZE, deleteOldCounts),
});

async function deleteOldCounts(tx: Transaction, limit: number): Promise<number> {
  // index: limit_counts_by_end
  const expiredKeys = tx.selectFrom('limit_counts').select('key').where('ends_at', '<=', tx.now).limit(limit);
  const deletion = tx.deleteFrom('limit_counts').where('key', 'in', expiredKeys);
  // Checks the row again: a request may have started its next window since it was selected.
  const { numDeletedRows } = await deletion.where('ends_at', '<=', tx.now).executeTakeFirst();
  return Number(numDeletedRows);
}

export const cleanUpCountsDaily = { name: 'clean_up_rate_limit_counts', cron: '20 4 * * *', job: cleanUpCountsJob };
