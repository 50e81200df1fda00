import { Cron } from 'croner';
import type { Config } from '../config.ts';
import type { Database, Reader } from '../database/database.ts';
import { enqueue, type Job } from './job.ts';

/** Work that recurs. Whatever number of processes runs, each moment adds it once; missed moments add it once together. */
export interface Schedule<Rooms> {
  /** Stored: never renamed. */
  readonly name: string;
  /** In UTC, minute precision or seconds: `0 3 * * *`. */
  readonly cron: string;
  readonly job: Job<Rooms, Record<string, never>>;
  /** Only on servers whose settings are so. */
  readonly when?: (config: Config) => boolean;
}

/** The first moment after `after` that the expression names. */
export function nextMoment(cron: string, after: string): string {
  // By arithmetic: a named zone would load 5 MB of the engine's tables of zones and locales for UTC.
  const next = new Cron(cron, { utcOffset: 0, paused: true }).nextRun(new Date(after));
  if (next === null) throw new Error(`The schedule ${cron} has no next moment`);
  return next.toISOString();
}

export async function storedSchedules(db: Reader): Promise<{ name: string; next_run_at: string }[]> {
  return db.selectFrom('schedules').select(['name', 'next_run_at']).execute();
}

/** Stores schedules that are new or whose expression changed; the others keep their next moment. */
export async function storeSchedules(database: Database, schedules: readonly Schedule<never>[]): Promise<void> {
  await database.transaction(async (tx) => {
    const stored = new Map((await tx.selectFrom('schedules').selectAll().execute()).map((row) => [row.name, row]));
    for (const { name, cron } of schedules) {
      if (stored.get(name)?.cron === cron) continue;
      const row = { cron, next_run_at: nextMoment(cron, tx.now) };
      await tx
        .insertInto('schedules')
        .values({ name, ...row })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute();
    }
  });
}

/** Adds the work of every schedule that is due and moves the schedule on. */
export async function addScheduledWork<Rooms>(
  database: Database,
  schedules: readonly Schedule<Rooms>[],
): Promise<void> {
  await database.transaction(async (tx) => {
    for (const { name, cron, job } of schedules) {
      const moved = await tx
        .updateTable('schedules')
        .set({ next_run_at: nextMoment(cron, tx.now) })
        .where('name', '=', name)
        .where('next_run_at', '<=', tx.now)
        .executeTakeFirst();
      if (moved.numUpdatedRows > 0n) await enqueue(tx, job, {}, { key: name });
    }
  });
}
