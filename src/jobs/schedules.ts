import { Cron } from 'croner';
import type { Config } from '#config.ts';
import type { Database, Reader } from '#database/database.ts';
import { defineJob, enqueue, type JobDefinition } from './job.ts';

/** A recurring job. With any number of processes, each scheduled time enqueues it once; missed times enqueue it once together. */
export interface Schedule<Services> {
  /** Stored in the database: never rename it. */
  readonly name: string;
  /** Cron expression in UTC, with or without seconds: `0 3 * * *`. */
  readonly cron: string;
  readonly job: JobDefinition<Services, Record<string, never>>;
  /** Returns whether servers with these settings run the schedule; default: always. */
  readonly isEnabled?: (config: Config) => boolean;
}

/** Returns the first time after `after` that the cron expression matches. */
export function getNextRunTime(cron: string, after: string): string {
  // An offset instead of a time zone name, which would load 5 MB of zone and locale tables.
  const next = new Cron(cron, { utcOffset: 0, paused: true }).nextRun(new Date(after));
  if (next === null) throw new Error(`The schedule ${cron} has no next run time`);
  return next.toISOString();
}

/** Returns the names and next run times of all stored schedules, also those of other versions. */
export async function listStoredSchedules(db: Reader): Promise<{ name: string; next_run_at: string }[]> {
  return db.selectFrom('schedules').select(['name', 'next_run_at']).execute();
}

/** Stores schedules that are new or whose expression changed; the others keep their next run time. */
export async function storeSchedules(database: Database, schedules: readonly Schedule<never>[]): Promise<void> {
  await database.transaction(async (tx) => {
    const storedSchedules = new Map(
      (await tx.selectFrom('schedules').selectAll().execute()).map((row) => [row.name, row]),
    );
    const changedSchedules = schedules
      .filter(({ name, cron }) => storedSchedules.get(name)?.cron !== cron)
      .map(({ name, cron }) => ({ name, cron, next_run_at: getNextRunTime(cron, tx.now) }));
    if (changedSchedules.length === 0) return;
    await tx
      .insertInto('schedules')
      .values(changedSchedules)
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({
          cron: eb.ref('excluded.cron'),
          next_run_at: eb.ref('excluded.next_run_at'),
        })),
      )
      .execute();
  });
}

/** Enqueues the jobs of all due schedules and sets the next run times; once per run time, even with several processes. */
export async function enqueueDueSchedules<Services>(
  database: Database,
  schedules: readonly Schedule<Services>[],
): Promise<void> {
  await database.transaction(async (tx) => {
    // A few dozen rows: no index.
    const dueSchedules = await tx.selectFrom('schedules').select('name').where('next_run_at', '<=', tx.now).execute();
    const dueNames = new Set(dueSchedules.map(({ name }) => name));
    for (const { name, cron, job } of schedules.filter((schedule) => dueNames.has(schedule.name))) {
      const updateResult = await tx
        .updateTable('schedules')
        .set({ next_run_at: getNextRunTime(cron, tx.now) })
        .where('name', '=', name)
        .where('next_run_at', '<=', tx.now)
        .executeTakeFirst();
      if (updateResult.numUpdatedRows > 0n) await enqueue(tx, job, {}, { key: name });
    }
  });
}

/** Updates the planner's statistics, so that query plans suit a database that grows. */
export const updateStatisticsJob = defineJob({
  kind: 'update_statistics',
  handle: ({ database }: { readonly database: Database }) => database.updateStatistics(),
});

export const updateStatisticsRegularly = { name: 'update_statistics', cron: '*/10 * * * *', job: updateStatisticsJob };
