import type { Database, Reader } from '#database/database.ts';
import type { Clock } from '#runtime/clock.ts';
import { addDays, getToday } from '#runtime/clock.ts';

/** Names of daily counters, as in the status. */
type CounterName =
  | 'git_fetch_event_count_weekly'
  | 'git_push_event_count_weekly'
  | 'proxy_remote_requests_event_count_weekly'
  | 'proxy_local_requests_event_count_weekly';

/** Daily counters in memory, which `flush` adds to the database. A killed process loses the counts in memory. */
export interface Counters {
  increment(name: CounterName): void;
  flush(database: Database): Promise<void>;
}

export function createCounters(clock: Clock): Counters {
  let countsByDayAndName = new Map<string, { readonly day: string; readonly name: CounterName; count: number }>();
  return {
    increment(name) {
      const day = getToday(clock);
      const dailyCount = countsByDayAndName.get(day + name);
      if (dailyCount === undefined) countsByDayAndName.set(day + name, { day, name, count: 1 });
      else dailyCount.count++;
    },
    async flush(database) {
      const pendingCounts = [...countsByDayAndName.values()];
      if (pendingCounts.length === 0) return;
      countsByDayAndName = new Map();
      await database.transaction(async (tx) => {
        for (const row of pendingCounts) {
          await tx
            .insertInto('geo_daily_counts')
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(['day', 'name']).doUpdateSet((eb) => ({
                count: eb('geo_daily_counts.count', '+', row.count),
              })),
            )
            .execute();
        }
        await tx.deleteFrom('geo_daily_counts').where('day', '<', addDays(tx.today, -DAYS_PER_WEEK)).execute();
      });
    },
  };
}

const DAYS_PER_WEEK = 7;

/** Returns the counts of the last seven days. */
export async function loadWeeklyCounts(db: Reader): Promise<Readonly<Record<CounterName, number>>> {
  // index: geo_daily_counts primary key
  const rows = await db
    .selectFrom('geo_daily_counts')
    .select(['name', (eb) => eb.fn.sum<number>('count').as('count')])
    .where('day', '>', addDays(db.today, -DAYS_PER_WEEK))
    .groupBy('name')
    .execute();
  const zeroCounts = {
    git_fetch_event_count_weekly: 0,
    git_push_event_count_weekly: 0,
    proxy_remote_requests_event_count_weekly: 0,
    proxy_local_requests_event_count_weekly: 0,
  };
  return { ...zeroCounts, ...Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)])) };
}
