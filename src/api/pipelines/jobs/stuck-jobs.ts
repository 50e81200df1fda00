import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Columns, Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { isJobForRunnerRow } from '#domain/runners/runner-scope.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { changeJobStatus, jobsLockKey } from '../processing/index.ts';
import { buildStatusCondition } from '../runners/index.ts';
import type { FailureReason } from './changes.ts';

// Background jobs that end jobs without a suitable runner, and jobs whose runner no longer reports (contract/runners.md
// "Background work").

const HOUR_MS = 3_600_000;
/** Time after the timeout of a job in which its runner may still report the end. */
const GRACE_MS = 15 * 60_000;
const STUCK_BATCH_SIZE = 500;

/** Statuses of jobs that may be stuck; few jobs have them at any time. */
const UNFINISHED_STATUSES = ['running', 'canceling', 'scheduled', 'pending'] as const;

interface UnfinishedJob
  extends Columns<
    'jobs',
    'id' | 'project_id' | 'timeout' | 'queued_at' | 'scheduled_at' | 'started_at' | 'last_seen_at' | 'updated_at'
  > {
  readonly status: (typeof UNFINISHED_STATUSES)[number];
}

interface JobEnd {
  readonly to: 'failed' | 'canceled';
  readonly reason?: FailureReason;
  /** Defaults to now. */
  readonly finishedAt?: string;
  /** Whether the job ends only if no online, unpaused runner could take it. */
  readonly onlyWithoutRunner?: boolean;
}

/** Decides how a job ends now; null: it continues. */
type EndRule = (job: UnfinishedJob, now: string) => JobEnd | null;

/**
 * Iterates over the jobs with this status, in batches by id.
 * index: jobs_running, jobs_canceling, jobs_scheduled, jobs_pending
 */
async function* listJobsWithStatus(db: Reader, status: UnfinishedJob['status']): AsyncGenerator<UnfinishedJob> {
  for (let afterId = 0; ; ) {
    const batch = await db
      .selectFrom('jobs')
      .select(['id', 'project_id', 'timeout', 'queued_at', 'scheduled_at', 'started_at', 'last_seen_at', 'updated_at'])
      // Written like the condition of the partial index, so that the planner uses it.
      .where('status', '=', sql.lit(status))
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(STUCK_BATCH_SIZE)
      .execute();
    for (const job of batch) yield { ...job, status };
    if (batch.length < STUCK_BATCH_SIZE) return;
    afterId = batch.at(-1)?.id ?? afterId;
  }
}

/** Ends the jobs that the rule selects, each in a transaction of its own. */
async function endJobs(
  { database, clock, runUnitOfWork }: Pick<Services, 'clock' | 'database' | 'runUnitOfWork'>,
  statuses: readonly UnfinishedJob['status'][],
  endRule: EndRule,
  signal: AbortSignal,
): Promise<void> {
  const now = timestamp(clock);
  for (const status of statuses) {
    for await (const job of listJobsWithStatus(database.reader, status)) {
      if (signal.aborted) return;
      const end = endRule(job, now);
      if (end === null || (end.onlyWithoutRunner && (await hasOnlineRunner(database.reader, job.id, now)))) continue;
      const { to, reason, finishedAt } = end;
      const changes = {
        ...(reason === undefined ? {} : { failure_reason: reason }),
        ...(finishedAt === undefined ? {} : { finished_at: finishedAt }),
      };
      const lock = jobsLockKey(job.project_id);
      await runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, job.id, [status], to, changes), {
        lock,
        // A full write queue must not stop the background job.
        exemptFromLimit: true,
      });
    }
  }
}

/** Rule for running jobs: a job fails after its timeout and the grace period in which its runner should end it. */
const endIfOverdue: EndRule = ({ started_at, timeout }, now) => {
  if (started_at === null || timeout === null) return null;
  const finishedAt = addMilliseconds(started_at, timeout * 1000);
  if (addMilliseconds(finishedAt, GRACE_MS) >= now) return null;
  return { to: 'failed', reason: 'job_execution_timeout', finishedAt };
};

/** Rule for all unfinished jobs: a job ends if nothing has happened to it for an hour. */
const endIfStuck: EndRule = (job, now) => {
  const hourAgo = addMilliseconds(now, -HOUR_MS);
  switch (job.status) {
    case 'running': {
      const lastContactAt = job.last_seen_at ?? job.started_at ?? job.updated_at;
      return lastContactAt < hourAgo ? { to: 'failed', reason: 'stuck_or_timeout_failure' } : null;
    }
    case 'canceling':
      return job.updated_at <= hourAgo ? { to: 'canceled' } : null;
    case 'scheduled':
      return job.scheduled_at !== null && job.scheduled_at <= hourAgo
        ? { to: 'failed', reason: 'stale_schedule' }
        : null;
    case 'pending': {
      if (job.queued_at === null || job.queued_at > hourAgo) return null;
      // After a day in the queue, the job fails even if a runner could take it.
      const onlyWithoutRunner = job.queued_at > addMilliseconds(now, -24 * HOUR_MS);
      return { to: 'failed', reason: 'stuck_or_timeout_failure', onlyWithoutRunner };
    }
  }
};

/**
 * Returns whether an online, unpaused runner could take the job.
 * index: jobs primary key, projects primary key, runners_by_contact
 */
function hasOnlineRunner(db: Reader, jobId: number, now: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('jobs')
      .innerJoin('projects', 'projects.id', 'jobs.project_id')
      .innerJoin('runners', (join) => join.onTrue())
      .select('runners.id')
      .where('jobs.id', '=', jobId)
      .where('runners.paused', '=', false)
      .where(buildStatusCondition('online', now))
      .where(isJobForRunnerRow()),
  );
}

/** Ends jobs that exceeded their timeout. */
export const failOverdueJobs = defineJob({
  kind: 'fail_overdue_jobs',
  handle: (
    services: Pick<Services, 'clock' | 'database' | 'runUnitOfWork'>,
    _payload: Record<string, never>,
    { signal },
  ) => endJobs(services, ['running'], endIfOverdue, signal),
});

/** Ends stuck jobs. */
export const endStuckJobs = defineJob({
  kind: 'fail_stuck_jobs',
  handle: (
    services: Pick<Services, 'clock' | 'database' | 'runUnitOfWork'>,
    _payload: Record<string, never>,
    { signal },
  ) => endJobs(services, UNFINISHED_STATUSES, endIfStuck, signal),
});

export const failOverdueJobsEveryTenMinutes: Schedule<Services> = {
  name: 'fail_overdue_jobs',
  cron: '*/10 * * * *',
  job: failOverdueJobs,
};
export const endStuckJobsHourly: Schedule<Services> = {
  name: 'fail_stuck_jobs',
  cron: '17 * * * *',
  job: endStuckJobs,
};
