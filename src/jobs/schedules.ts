import { Cron } from 'croner';
import type { Config } from '#config.ts';
import type { Database, Reader, Transaction } from '#database/database.ts';
import { enqueue, type Job } from './job.ts';

/** Work that recurs. Whatever number of processes runs, each moment adds it once; missed moments add it once together. */
export interface Schedule<Services> {
  /** Stored: never renamed. */
  readonly name: string;
  /** In UTC, minute precision or seconds: `0 3 * * *`. */
  readonly cron: string;
  readonly job: Job<Services, Record<string, never>>;
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
    const changed = schedules
      .filter(({ name, cron }) => stored.get(name)?.cron !== cron)
      .map(({ name, cron }) => ({ name, cron, next_run_at: nextMoment(cron, tx.now) }));
    if (changed.length === 0) return;
    await tx
      .insertInto('schedules')
      .values(changed)
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({
          cron: eb.ref('excluded.cron'),
          next_run_at: eb.ref('excluded.next_run_at'),
        })),
      )
      .execute();
  });
}

/** Adds the work of every schedule that is due and moves the schedule on: once a moment, whoever else does the same. */
export async function addScheduledWork<Services>(
  database: Database,
  schedules: readonly Schedule<Services>[],
): Promise<void> {
  await database.transaction(async (tx) => {
    const due = new Set((await dueSchedules(tx)).map(({ name }) => name));
    for (const { name, cron, job } of schedules.filter((schedule) => due.has(schedule.name))) {
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

/** A few dozen rows: no index. */
function dueSchedules(tx: Transaction): Promise<{ name: string }[]> {
  return tx.selectFrom('schedules').select('name').where('next_run_at', '<=', tx.now).execute();
}
