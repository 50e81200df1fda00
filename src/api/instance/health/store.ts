import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';

/** Number of background jobs of one kind in one state. */
interface JobCount {
  readonly kind: string;
  readonly state: 'due' | 'scheduled' | 'running' | 'dead';
  readonly count: number;
  /** The earliest time at which one of them may run. */
  readonly oldest: string;
}

/** Counts the background jobs of all processes by kind and state. */
export function loadJobCounts(db: Reader, now: string): Promise<JobCount[]> {
  return buildJobCountQuery(db, now).execute();
}

/** Builds the query of `loadJobCounts`. index: background_jobs_by_run_at, background_jobs_dead */
export function buildJobCountQuery(db: Reader, now: string) {
  const waiting = db
    .selectFrom('background_jobs')
    .select((eb) => [
      'kind',
      sql<
        JobCount['state']
      >`case when lease_owner is not null then 'running' when run_at <= ${now} then 'due' else 'scheduled' end`.as(
        'state',
      ),
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('run_at').as('oldest'),
    ])
    .where('state', '=', sql.lit('pending' as const))
    .groupBy(sql`1, 2`);
  const dead = db
    .selectFrom('background_jobs')
    .select((eb) => [
      'kind',
      sql<JobCount['state']>`'dead'`.as('state'),
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('run_at').as('oldest'),
    ])
    .where('state', '=', sql.lit('dead' as const))
    .groupBy(sql`1, 2`);
  return waiting.unionAll(dead).modifyEnd(LONG_RUNNING);
}

/** Counts queued mails; `oldest` is the earliest time at which one is due. */
export function loadMailCounts(db: Reader): Promise<{ readonly count: number; readonly oldest: string | null }> {
  return buildMailCountQuery(db).executeTakeFirstOrThrow();
}

/** Builds the query of `loadMailCounts`. index: mail_messages_due */
export function buildMailCountQuery(db: Reader) {
  return db
    .selectFrom('mail_messages')
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('next_attempt_at').as('oldest')])
    .where('state', '=', sql.lit('queued' as const))
    .modifyEnd(LONG_RUNNING);
}
