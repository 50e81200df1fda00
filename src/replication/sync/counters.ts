import type { Database, Reader } from '#database/database.ts';
import type { Clock } from '#runtime/clock.ts';
import { daysAfter, today } from '#runtime/clock.ts';

/** What is counted by day, by the names of the status. */
export type Counted =
  | 'git_fetch_event_count_weekly'
  | 'git_push_event_count_weekly'
  | 'proxy_remote_requests_event_count_weekly'
  | 'proxy_local_requests_event_count_weekly';

/** Counts in memory, and into the database now and then: a process that is killed loses what it has counted meanwhile. */
export interface Tally {
  count(name: Counted): void;
  keep(database: Database): Promise<void>;
}

export function createTally(clock: Clock): Tally {
  let counts = new Map<string, { readonly day: string; readonly name: Counted; count: number }>();
  return {
    count(name) {
      const day = today(clock);
      const known = counts.get(day + name);
      if (known === undefined) counts.set(day + name, { day, name, count: 1 });
      else known.count++;
    },
    async keep(database) {
      const kept = [...counts.values()];
      if (kept.length === 0) return;
      counts = new Map();
      await database.transaction(async (tx) => {
        for (const row of kept) {
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
        await tx.deleteFrom('geo_daily_counts').where('day', '<', daysAfter(tx.today, -WEEK)).execute();
      });
    },
  };
}

const WEEK = 7;

/** What was counted in the last seven days. */
export async function countedInAWeek(db: Reader): Promise<Readonly<Record<Counted, number>>> {
  // index: geo_daily_counts primary key
  const rows = await db
    .selectFrom('geo_daily_counts')
    .select(['name', (eb) => eb.fn.sum<number>('count').as('count')])
    .where('day', '>', daysAfter(db.today, -WEEK))
    .groupBy('name')
    .execute();
  const counted = {
    git_fetch_event_count_weekly: 0,
    git_push_event_count_weekly: 0,
    proxy_remote_requests_event_count_weekly: 0,
    proxy_local_requests_event_count_weekly: 0,
  };
  return { ...counted, ...Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)])) };
}
