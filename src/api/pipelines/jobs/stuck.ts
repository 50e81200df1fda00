import { sql } from 'kysely';
import { takenByRow } from '../../../access/runner-reach.ts';
import { defineJob } from '../../../background/job.ts';
import type { Schedule } from '../../../background/schedules.ts';
import { momentAfter, timestamp } from '../../../clock.ts';
import type { Reader } from '../../../database/database.ts';
import { hasRow } from '../../../database/has-row.ts';
import type { JobStatus } from '../../../database/tables/pipelines.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { changeJob, pipelineTurn } from '../processing/index.ts';

/** What ends jobs that wait for something which does not come (contract/runners.md "Background work"). */

const HOUR = 3_600_000;
/** How long after its last contact a runner counts as online (contract/runners.md "States"). */
const ONLINE = 2 * HOUR;
const BATCH = 100;

interface StuckJob {
  readonly id: number;
  readonly pipeline_id: number;
}

type Find = (db: Reader, now: string, afterId: number) => Promise<StuckJob[]>;

interface Sweep {
  readonly find: Find;
  readonly from: JobStatus;
  readonly to: 'failed' | 'canceled';
  readonly reason?: string;
}

const SWEEPS: readonly Sweep[] = [
  { find: waitingForADay, from: 'pending', to: 'failed', reason: 'stuck_or_timeout_failure' },
  { find: waitingForNobody, from: 'pending', to: 'failed', reason: 'stuck_or_timeout_failure' },
  { find: overdue, from: 'scheduled', to: 'failed', reason: 'stale_schedule' },
  { find: cancelingForLong, from: 'canceling', to: 'canceled' },
];

/** Ends what is stuck, each job in an act of its own. */
export const endStuckJobs = defineJob({
  kind: 'end-stuck-jobs',
  async handle({ database, clock, acting }: Rooms, _payload: Record<string, never>, { signal }) {
    for (const { find, from, to, reason } of SWEEPS) {
      for (let afterId = 0; !signal.aborted; ) {
        const some = await find(database.reader, timestamp(clock), afterId);
        const change = reason === undefined ? {} : { failure_reason: reason };
        for (const { id, pipeline_id } of some) {
          const turn = pipelineTurn(pipeline_id);
          await acting(NOBODY, (act) => changeJob(act, id, [from], to, change), { turn, owed: true });
        }
        const last = some.at(-1);
        if (last === undefined || some.length < BATCH) break;
        afterId = last.id;
      }
    }
  },
});

export const endStuckJobsHourly: Schedule<Rooms> = { name: 'end-stuck-jobs', cron: '17 * * * *', job: endStuckJobs };

/** Of those that are in this status, which are few: an index holds them alone. index: jobs_pending, jobs_scheduled, jobs_canceling */
function some(db: Reader, status: 'pending' | 'scheduled' | 'canceling', afterId: number) {
  return db
    .selectFrom('jobs')
    .select(['jobs.id', 'jobs.pipeline_id'])
    .where('jobs.status', '=', sql.lit(status))
    .where('jobs.id', '>', afterId)
    .orderBy('jobs.id')
    .limit(BATCH);
}

function waitingForADay(db: Reader, now: string, afterId: number): Promise<StuckJob[]> {
  return some(db, 'pending', afterId)
    .where('jobs.queued_at', '<=', momentAfter(now, -24 * HOUR))
    .execute();
}

/** No runner that is online and not paused could take them. */
async function waitingForNobody(db: Reader, now: string, afterId: number): Promise<StuckJob[]> {
  const waiting = await some(db, 'pending', afterId).where('jobs.queued_at', '<=', momentAfter(now, -HOUR)).execute();
  // One question each: whoever could take a job is found at the first of them.
  const found = await Promise.all(waiting.map(async (job) => ((await hasRunner(db, job.id, now)) ? [] : [job])));
  const stuck = found.flat();
  const last = waiting.at(-1);
  return last !== undefined && waiting.length === BATCH && stuck.length < BATCH
    ? [...stuck, ...(await waitingForNobody(db, now, last.id))]
    : stuck;
}

function hasRunner(db: Reader, jobId: number, now: string): Promise<boolean> {
  // index: jobs primary key, projects primary key, runners_by_type
  return hasRow(
    db
      .selectFrom('jobs')
      .innerJoin('projects', 'projects.id', 'jobs.project_id')
      .innerJoin('runners', (join) => join.onTrue())
      .select('runners.id')
      .where('jobs.id', '=', jobId)
      .where('runners.paused', '=', false)
      .where('runners.contacted_at', '>', momentAfter(now, -ONLINE))
      .where(takenByRow()),
  );
}

function overdue(db: Reader, now: string, afterId: number): Promise<StuckJob[]> {
  return some(db, 'scheduled', afterId).where('jobs.scheduled_at', '<=', momentAfter(now, -HOUR)).execute();
}

function cancelingForLong(db: Reader, now: string, afterId: number): Promise<StuckJob[]> {
  return some(db, 'canceling', afterId).where('jobs.updated_at', '<=', momentAfter(now, -HOUR)).execute();
}
