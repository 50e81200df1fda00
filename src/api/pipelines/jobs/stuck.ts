import { type ExpressionBuilder, sql } from 'kysely';
import { takesGroupRunners, takesInstanceRunners } from '../../../access/runner-reach.ts';
import { defineJob } from '../../../background/job.ts';
import type { Schedule } from '../../../background/schedules.ts';
import { momentAfter, timestamp } from '../../../clock.ts';
import type { Reader, Schema } from '../../../database/database.ts';
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
      .where((eb) => eb.or([eb('runners.access_level', '=', 'not_protected'), eb('jobs.protected', '=', true)]))
      .where(fitsTags)
      .where(reaches),
  );
}

type Eb = ExpressionBuilder<Schema, 'jobs' | 'projects' | 'runners'>;

// index: job_tags_pkey, runner_tags_pkey
function fitsTags(eb: Eb) {
  const tags = eb.selectFrom('job_tags').select('job_tags.name').whereRef('job_tags.job_id', '=', 'jobs.id');
  const foreign = tags.where((inner) => {
    const known = inner
      .selectFrom('runner_tags')
      .select('runner_tags.name')
      .whereRef('runner_tags.runner_id', '=', 'runners.id')
      .whereRef('runner_tags.name', '=', 'job_tags.name');
    return inner.not(inner.exists(known));
  });
  return eb.and([eb.or([eb('runners.run_untagged', '=', true), eb.exists(tags)]), eb.not(eb.exists(foreign))]);
}

// index: namespace_closure_pkey, runner_projects_by_runner
function reaches(eb: Eb) {
  const projects = eb as unknown as ExpressionBuilder<Schema, 'projects'>;
  const above = eb
    .selectFrom('namespace_closure')
    .select('namespace_closure.ancestor_id')
    .whereRef('namespace_closure.descendant_id', '=', 'projects.namespace_id')
    .whereRef('namespace_closure.ancestor_id', '=', 'runners.group_id');
  const own = eb
    .selectFrom('runner_projects')
    .select('runner_projects.id')
    .whereRef('runner_projects.runner_id', '=', 'runners.id')
    .whereRef('runner_projects.project_id', '=', 'projects.id');
  const of = (type: 'instance_type' | 'group_type' | 'project_type') => eb('runners.runner_type', '=', type);
  return eb.or([
    eb.and([of('instance_type'), takesInstanceRunners(projects)]),
    eb.and([of('group_type'), takesGroupRunners(projects), eb.exists(above)]),
    eb.and([of('project_type'), eb.exists(own)]),
  ]);
}

function overdue(db: Reader, now: string, afterId: number): Promise<StuckJob[]> {
  return some(db, 'scheduled', afterId).where('jobs.scheduled_at', '<=', momentAfter(now, -HOUR)).execute();
}

function cancelingForLong(db: Reader, now: string, afterId: number): Promise<StuckJob[]> {
  return some(db, 'canceling', afterId).where('jobs.updated_at', '<=', momentAfter(now, -HOUR)).execute();
}
