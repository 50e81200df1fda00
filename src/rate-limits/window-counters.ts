import type { Database, Reader, Transaction } from '#database/database.ts';
import { deleteInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob } from '#jobs/job.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';

/** A fixed window of time in which requests are counted. */
export interface Window {
  readonly key: string;
  /** Number of the window: unix seconds divided by its length, rounded down. */
  readonly period: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** Returns the window that contains a point in time. Windows of all keys start at the same times. */
export function windowAt(now: Date, key: string, seconds: number): Window {
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
  const counted = db.selectFrom('limit_counts').select('count').where('key', '=', key).where('period', '=', period);
  return (await counted.executeTakeFirst())?.count ?? 0;
}

/** Counts requests: in memory if one process has the database for itself, else in the database. */
export type CountRequest = (window: Window) => Promise<number> | number;

export function createRequestCounter(database: Database, alone: boolean): CountRequest {
  if (alone) return createMemoryCounter();
  return (window) => database.transaction((tx) => incrementCount(tx, window), { isolation: 'read committed' });
}

/** Maximum number of counters in memory; the least recently used start again. */
const MAX_COUNTERS = 100_000;

function createMemoryCounter(): CountRequest {
  const counts = createBoundedCache<{ period: number; count: number }>(MAX_COUNTERS);
  return ({ key, period }) => {
    const known = counts.get(key);
    if (known?.period === period) return ++known.count;
    counts.set(key, { period, count: 1 });
    return 1;
  };
}

const BATCH_SIZE = 1_000;

/** Deletes the counts of past windows. */
export const cleanUpCountsJob = defineJob({
  kind: 'sweep_limit_counts',
  handle: ({ database }: { readonly database: Database }) => deleteInBatches(database, BATCH_SIZE, deleteOldCounts),
});

async function deleteOldCounts(tx: Transaction, most: number): Promise<number> {
  // index: limit_counts_by_end
  const old = tx.selectFrom('limit_counts').select('key').where('ends_at', '<=', tx.now).limit(most);
  const found = tx.deleteFrom('limit_counts').where('key', 'in', old);
  // Checks the row again: a request may have started its next window since it was selected.
  const deleted = await found.where('ends_at', '<=', tx.now).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

export const cleanUpCountsDaily = { name: 'sweep_limit_counts', cron: '20 4 * * *', job: cleanUpCountsJob };
