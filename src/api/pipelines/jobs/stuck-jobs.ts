import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { takenByRow } from '#domain/runners/runner-scope.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { momentAfter, timestamp } from '#runtime/clock.ts';
import { changeJob, jobsTurn } from '../processing/index.ts';
import { hasStatus } from '../runners/index.ts';
import type { FailureReason } from './failure-reasons.ts';

/** What ends jobs that wait for something which does not come, or of which nothing more is heard (contract/runners.md "Background work"). */

const HOUR = 3_600_000;
/** What a runner is given to say that the time is over, in milliseconds. */
const GRACE = 15 * 60_000;
const BATCH = 500;

/** What may be stuck; those that are in one of these are few, however many have ended. */
const UNDER_WAY = ['running', 'canceling', 'scheduled', 'pending'] as const;

interface JobUnderWay {
  readonly id: number;
  readonly project_id: number;
  readonly status: (typeof UNDER_WAY)[number];
  readonly timeout: number | null;
  readonly queued_at: string | null;
  readonly scheduled_at: string | null;
  readonly started_at: string | null;
  readonly last_seen_at: string | null;
  readonly updated_at: string;
}

interface End {
  readonly to: 'failed' | 'canceled';
  readonly reason?: FailureReason;
  /** Now, unless it says otherwise. */
  readonly finishedAt?: string;
  /** Only when no runner that is online and not paused could take the job. */
  readonly forWantOfRunner?: boolean;
}

/** How a job ends that is like this one at this moment; null: it goes on. */
type Judge = (job: JobUnderWay, now: string) => End | null;

/** Those with this status, in pieces by their ids. index: jobs_running, jobs_canceling, jobs_scheduled, jobs_pending */
async function* jobsThatAre(db: Reader, status: JobUnderWay['status']): AsyncGenerator<JobUnderWay> {
  for (let after = 0; ; ) {
    const some = await db
      .selectFrom('jobs')
      .select(['id', 'project_id', 'timeout', 'queued_at', 'scheduled_at', 'started_at', 'last_seen_at', 'updated_at'])
      // As the index says it, so that the planner knows it again.
      .where('status', '=', sql.lit(status))
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const job of some) yield { ...job, status };
    if (some.length < BATCH) return;
    after = some.at(-1)?.id ?? after;
  }
}

/** Ends those that are to end, each in an act of its own. */
async function endJobs(
  { database, clock, runUnitOfWork }: Services,
  statuses: readonly JobUnderWay['status'][],
  judge: Judge,
  signal: AbortSignal,
): Promise<void> {
  const now = timestamp(clock);
  for (const status of statuses) {
    for await (const job of jobsThatAre(database.reader, status)) {
      if (signal.aborted) return;
      const end = judge(job, now);
      if (end === null || (end.forWantOfRunner && (await hasRunner(database.reader, job.id, now)))) continue;
      const { to, reason, finishedAt } = end;
      const change = {
        ...(reason === undefined ? {} : { failure_reason: reason }),
        ...(finishedAt === undefined ? {} : { finished_at: finishedAt }),
      };
      const turn = jobsTurn(job.project_id);
      await runUnitOfWork(ANONYMOUS, (uow) => changeJob(uow, job.id, [status], to, change), { turn, owed: true });
    }
  }
}

/** It has run for longer than it may, and a quarter of an hour: its runner should have ended it. */
const overdue: Judge = ({ started_at, timeout }, now) => {
  if (started_at === null || timeout === null) return null;
  const finishedAt = momentAfter(started_at, timeout * 1000);
  if (momentAfter(finishedAt, GRACE) >= now) return null;
  return { to: 'failed', reason: 'job_execution_timeout', finishedAt };
};

const stuck: Judge = (job, now) => {
  const hourAgo = momentAfter(now, -HOUR);
  switch (job.status) {
    case 'running': {
      const heardOf = job.last_seen_at ?? job.started_at ?? job.updated_at;
      return heardOf < hourAgo ? { to: 'failed', reason: 'stuck_or_timeout_failure' } : null;
    }
    case 'canceling':
      return job.updated_at <= hourAgo ? { to: 'canceled' } : null;
    case 'scheduled':
      return job.scheduled_at !== null && job.scheduled_at <= hourAgo
        ? { to: 'failed', reason: 'stale_schedule' }
        : null;
    case 'pending': {
      if (job.queued_at === null || job.queued_at > hourAgo) return null;
      const forWantOfRunner = job.queued_at > momentAfter(now, -24 * HOUR);
      return { to: 'failed', reason: 'stuck_or_timeout_failure', forWantOfRunner };
    }
  }
};

/** index: jobs primary key, projects primary key, runners_by_contact */
function hasRunner(db: Reader, jobId: number, now: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('jobs')
      .innerJoin('projects', 'projects.id', 'jobs.project_id')
      .innerJoin('runners', (join) => join.onTrue())
      .select('runners.id')
      .where('jobs.id', '=', jobId)
      .where('runners.paused', '=', false)
      .where(hasStatus('online', now))
      .where(takenByRow()),
  );
}

/** Ends jobs whose time is over by far. */
export const endOverdueJobs = defineJob({
  kind: 'end_overdue_jobs',
  handle: (services: Services, _payload: Record<string, never>, { signal }) =>
    endJobs(services, ['running'], overdue, signal),
});

/** Ends what is stuck. */
export const endStuckJobs = defineJob({
  kind: 'end-stuck-jobs',
  handle: (services: Services, _payload: Record<string, never>, { signal }) =>
    endJobs(services, UNDER_WAY, stuck, signal),
});

export const endOverdueJobsOften: Schedule<Services> = {
  name: 'end_overdue_jobs',
  cron: '*/10 * * * *',
  job: endOverdueJobs,
};
export const endStuckJobsHourly: Schedule<Services> = { name: 'end-stuck-jobs', cron: '17 * * * *', job: endStuckJobs };
