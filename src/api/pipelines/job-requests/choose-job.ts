import { type SqlBool, sql } from 'kysely';
import type { Runner } from '#authorization/runners.ts';
import type { Columns, Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { isJobForRunner, type RunnerKind, type ScopedRunner } from '#domain/runners/runner-scope.ts';

/**
 * Selects the pending jobs that a runner may take (contract/runners.md §7). The index of pending jobs makes the cost
 * independent of the number of finished jobs.
 */

/** A pending job that a runner may take. */
export type CandidateJob = Columns<'jobs', 'id' | 'project_id'>;

/** Number of candidates per query; other runners may take the first ones. */
const CANDIDATE_BATCH_SIZE = 20;

// index: jobs_pending
const pendingJobQuery = prepare((db) =>
  db.selectFrom('jobs').select('id').where('status', '=', sql.lit('pending')).limit(1),
);

/** Returns whether any job is pending. Most polls end here, and the result is cached until a job changes. */
export async function hasPendingJobs(db: Reader): Promise<boolean> {
  return (await pendingJobQuery.first(db, {})) !== undefined;
}

/**
 * Lists the next jobs for this runner in order, from an offset.
 * index: jobs_pending, job_tags_pkey, runner_tags_pkey
 */
export function listCandidates(db: Reader, runner: Runner, offset = 0): Promise<CandidateJob[]> {
  return getPreparedQuery(runner)(db, { id: runner.id, group: runner.group_id ?? 0, offset });
}

/** Returns the query of `listCandidates`, for `explainPlan`. */
export function buildCandidatesQuery(db: Reader, runner: Runner) {
  return getPreparedQuery(runner).query(db, { id: runner.id, group: runner.group_id ?? 0, offset: 0 });
}

/**
 * Prepared queries by kind of runner. Without them, a poll without a result would spend most of its time on building
 * the query.
 */
const preparedQueries = new Map<string, ReturnType<typeof prepareQuery>>();

function getPreparedQuery({ runner_type, run_untagged, access_level }: RunnerKind) {
  const key = `${runner_type} ${run_untagged} ${access_level}`;
  const query = preparedQueries.get(key) ?? prepareQuery({ runner_type, run_untagged, access_level });
  preparedQueries.set(key, query);
  return query;
}

function prepareQuery(kind: RunnerKind) {
  return prepare((db, value: Params<{ id: number; group: number; offset: number }>) => {
    const pendingJobs = selectPendingJobs(db, { ...kind, id: value('id'), group_id: value('group') })
      .select(['jobs.id', 'jobs.project_id'])
      .limit(CANDIDATE_BATCH_SIZE)
      .offset(value('offset'));
    if (kind.runner_type !== 'instance_type') return pendingJobs.orderBy('jobs.id');
    return pendingJobs
      .leftJoin(selectRunningOnInstanceRunners(db).as('running_jobs'), 'running_jobs.project_id', 'jobs.project_id')
      .orderBy((eb) => eb.fn.coalesce('running_jobs.running', eb.lit(0)))
      .orderBy('jobs.id');
  });
}

/** Counts the pending jobs that a runner may take, up to `MAX_COUNT`. */
export async function countPendingJobs(db: Reader, runner: Runner): Promise<number> {
  const filter = { ...runner, id: sql.val(runner.id), group_id: sql.val(runner.group_id ?? 0) };
  const pendingJobs = selectPendingJobs(db, filter).select('jobs.id').limit(MAX_COUNT);
  const { count } = await db
    .selectFrom(pendingJobs.as('limited_jobs'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Limit for the number of pending jobs that are counted. */
const MAX_COUNT = 1000;

function selectPendingJobs(db: Reader, runner: ScopedRunner) {
  return (
    db
      .selectFrom('jobs')
      .innerJoin('projects', 'projects.id', 'jobs.project_id')
      // Written like the condition of the partial index, so that the planner uses it.
      .where('jobs.status', '=', sql.lit('pending'))
      .where('projects.builds_access_level', '!=', 'disabled')
      // The expression keeps the planner from the index of marked projects: nearly all projects match, so the query
      // must start from the few pending jobs.
      .where(sql<SqlBool>`coalesce(projects.marked_for_deletion_on, '') = ''`)
      .where(isJobForRunner(db, runner))
  );
}

/** Counts the running jobs of each project on instance runners. index: jobs_running */
function selectRunningOnInstanceRunners(db: Reader) {
  return db
    .selectFrom('jobs as running_job')
    .innerJoin('runners', 'runners.id', 'running_job.runner_id')
    .select(['running_job.project_id', (eb) => eb.fn.countAll<number>().as('running')])
    .where('running_job.status', '=', sql.lit('running'))
    .where('runners.runner_type', '=', 'instance_type')
    .groupBy('running_job.project_id');
}

/** Counts the running jobs of one project on instance runners. index: jobs_running */
export async function countRunningOnInstanceRunners(db: Reader, projectId: number): Promise<number> {
  const row = await selectRunningOnInstanceRunners(db)
    .where('running_job.project_id', '=', projectId)
    .executeTakeFirst();
  return Number(row?.running ?? 0);
}
