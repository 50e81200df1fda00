import { sql } from 'kysely';
import { defineJob } from '../../../background/job.ts';
import type { Schedule } from '../../../background/schedules.ts';
import { momentAfter, timestamp } from '../../../clock.ts';
import type { Reader } from '../../../database/database.ts';
import type { JobStatus } from '../../../database/tables/pipelines.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { changeJob, pipelineTurn } from '../processing/index.ts';
import type { FailureReason } from './failure-reasons.ts';

/** Jobs of which nothing more is heard (contract/runners.md "Background work"). */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** What a runner is given to say that the time is over, in seconds. */
const GRACE = 15 * 60;
const BATCH = 500;

interface Standing {
  readonly id: number;
  readonly pipeline_id: number;
  readonly timeout: number | null;
  readonly started_at: string | null;
  readonly last_seen_at: string | null;
  readonly updated_at: string;
}

/** Those with this status, which are few, in pieces by their ids. index: jobs_running, jobs_canceling */
async function* standing(db: Reader, status: 'running' | 'canceling'): AsyncGenerator<Standing> {
  for (let after = 0; ; ) {
    const some: Standing[] = await db
      .selectFrom('jobs')
      .select(['id', 'pipeline_id', 'timeout', 'started_at', 'last_seen_at', 'updated_at'])
      .where('status', '=', sql.lit(status))
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    yield* some;
    if (some.length < BATCH) return;
    after = some.at(-1)?.id ?? after;
  }
}

interface End {
  readonly from: JobStatus;
  readonly to: 'failed' | 'canceled';
  readonly reason?: FailureReason;
  readonly finishedAt?: string;
}

async function end({ acting }: Rooms, job: Standing, { from, to, reason, finishedAt }: End): Promise<void> {
  const change = {
    ...(reason === undefined ? {} : { failure_reason: reason }),
    ...(finishedAt === undefined ? {} : { finished_at: finishedAt }),
  };
  await acting(NOBODY, (act) => changeJob(act, job.id, [from], to, change), { turn: pipelineTurn(job.pipeline_id) });
}

/** Ends jobs that have run for longer than they may, and a quarter of an hour: their runner should have done so. */
export const endOverdueJobs = defineJob({
  kind: 'end_overdue_jobs',
  async handle(rooms: Rooms) {
    const now = timestamp(rooms.clock);
    for await (const job of standing(rooms.database.reader, 'running')) {
      if (job.started_at === null || job.timeout === null) continue;
      if (momentAfter(job.started_at, (job.timeout + GRACE) * 1000) >= now) continue;
      const finishedAt = momentAfter(job.started_at, job.timeout * 1000);
      await end(rooms, job, { from: 'running', to: 'failed', reason: 'job_execution_timeout', finishedAt });
    }
  },
});

/** Ends jobs of whose runner nothing has been heard for an hour. */
export const endSilentJobs = defineJob({
  kind: 'end_silent_jobs',
  async handle(rooms: Rooms) {
    const { reader } = rooms.database;
    const before = momentAfter(timestamp(rooms.clock), -HOUR);
    for await (const job of standing(reader, 'running')) {
      if ((job.last_seen_at ?? job.started_at ?? job.updated_at) >= before) continue;
      await end(rooms, job, { from: 'running', to: 'failed', reason: 'stuck_or_timeout_failure' });
    }
    for await (const job of standing(reader, 'canceling')) {
      if (job.updated_at < before) await end(rooms, job, { from: 'canceling', to: 'canceled' });
    }
  },
});

export const endOverdueJobsOften: Schedule<Rooms> = {
  name: 'end_overdue_jobs',
  cron: '*/10 * * * *',
  job: endOverdueJobs,
};
export const endSilentJobsHourly: Schedule<Rooms> = { name: 'end_silent_jobs', cron: '7 * * * *', job: endSilentJobs };
