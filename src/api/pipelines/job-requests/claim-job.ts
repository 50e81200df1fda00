import { type SqlBool, sql } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Runner } from '#authorization/runners.ts';
import type { Config } from '#config.ts';
import type { Columns, Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { isJobForRunner, type RunnerKind, type ScopedRunner } from '#domain/runners/runner-scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import type { JobOptions } from '../ci-file/index.ts';
import { type FailureReason, hasExpired } from '../jobs/index.ts';
import { changeJobStatus, findBlockedDeployments, jobsLockKey } from '../processing/index.ts';
import { findRunnableJob, type JobDependency, listDependencies, type RunnableJob } from './store.ts';

/** A runner that requests a job, and its manager. */
export interface RequestingRunner {
  readonly runner: Runner;
  readonly managerId: number;
  readonly features: Readonly<Record<string, boolean>> | null | undefined;
  /** A runner that has disconnected gets no job. */
  readonly client: RequestClient;
}

/** A job that was assigned to the requesting runner. */
export interface ClaimedJob {
  readonly job: RunnableJob;
  readonly dependencies: readonly JobDependency[];
  readonly token: string;
  /** Seconds. */
  readonly timeout: number;
  readonly startedAt: string;
  /** Number of jobs that were tried. */
  readonly attempts: number;
}

/** Maximum number of jobs that are tried per request. */
const MAX_ATTEMPTS = 100;

/**
 * Assigns the next job to a runner by a compare-and-set. Jobs that cannot run are failed instead. Fails with `noJob` if
 * there is no job, and with `conflict` if other runners were faster or too many jobs were tried; the runner then sends
 * the request again.
 */
export async function claimJob(
  services: Pick<Services, 'config' | 'database' | 'runUnitOfWork'>,
  requester: RequestingRunner,
): Promise<ClaimedJob | Failure<'noJob' | 'conflict'>> {
  const { reader } = services.database;
  if (!(await hasPendingJobs(reader))) return fail('noJob');
  let hadConflict = false;
  // Locked jobs are still pending and come first, so the next query skips them.
  let lockedCount = 0;
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; ) {
    const candidates = await listCandidates(reader, requester.runner, lockedCount);
    if (candidates.length === 0) return fail(hadConflict ? 'conflict' : 'noJob');
    for (const candidate of candidates) {
      const claim = await withAssignmentLock(services, candidate.id, () => tryToClaim(services, requester, candidate));
      if (claim === 'conflict' || claim === 'locked') hadConflict = true;
      else if (claim !== 'failed') return { ...claim, attempts };
      if (claim === 'locked') lockedCount++;
      attempts++;
    }
  }
  return fail('conflict');
}

/** `conflict`: another runner was faster; `failed`: the job cannot run and was failed. */
type ClaimAttempt = Omit<ClaimedJob, 'attempts'> | 'conflict' | 'failed';

/** Assigns one job to the runner, or fails the job if it cannot run. */
async function tryToClaim(
  { runUnitOfWork }: Pick<Services, 'runUnitOfWork'>,
  { runner, managerId, features, client }: RequestingRunner,
  { id, project_id }: CandidateJob,
) {
  const token = generateToken('glcbt-');
  return runUnitOfWork(
    ANONYMOUS,
    async (uow): Promise<ClaimAttempt> => {
      const job = await findRunnableJob(uow, id);
      if (job === null) return 'conflict';
      const dependencies = await listDependencies(uow, job);
      const project = await getJobProject(uow, job.project_id);
      const reason =
        (await findFailureReason(uow, { job, dependencies, project, features, now: uow.now })) ??
        (await findDeploymentFailureReason(uow, job));
      if (reason !== null) {
        const failedJob = await changeJobStatus(uow, id, ['pending'], 'failed', { failure_reason: reason });
        return failedJob === null ? 'conflict' : 'failed';
      }
      const timeout = getTimeout(job, runner, project);
      const changes = { runner_id: runner.id, runner_manager_id: managerId, token_digest: hashToken(token), timeout };
      const startedJob = await changeJobStatus(uow, id, ['pending'], 'running', changes);
      return startedJob === null ? 'conflict' : { job, dependencies, token, timeout, startedAt: uow.now };
    },
    { lock: jobsLockKey(project_id), client },
  );
}

/**
 * Returns the attributes of the job's project that decide whether and how long the job may run.
 * index: projects primary key
 */
function getJobProject(db: Reader, projectId: number) {
  return db
    .selectFrom('projects')
    .select(['builds_access_level', 'marked_for_deletion_on', 'attributes'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
}

interface FailureCheck {
  readonly job: RunnableJob;
  readonly dependencies: readonly JobDependency[];
  readonly project: Awaited<ReturnType<typeof getJobProject>>;
  readonly features: RequestingRunner['features'];
  readonly now: string;
}

/** Returns why the job must fail instead of being assigned (contract/runners.md §7), or null. */
async function findFailureReason(
  db: Reader,
  { job, dependencies, project, features, now }: FailureCheck,
): Promise<FailureReason | null> {
  if (project.marked_for_deletion_on !== null) return 'project_deleted';
  if (project.builds_access_level === 'disabled') return 'builds_disabled';
  if (job.user_state !== 'active') return 'user_blocked';
  if (!supportsJob(features, job.options)) return 'runner_unsupported';
  for (const { id, erased_at, artifacts_expire_at } of dependencies) {
    if (erased_at !== null || (await hasExpired(db, id, artifacts_expire_at, now))) return 'missing_dependency_failure';
  }
  return null;
}

/**
 * Returns why the job's user may not deploy, or null. Rights are rechecked, because the user may have lost them since
 * the job became pending.
 */
async function findDeploymentFailureReason(uow: UnitOfWork, job: RunnableJob): Promise<FailureReason | null> {
  // Missing approvals do not fail a job that is already pending.
  const deploymentBlock = (await findBlockedDeployments(uow, job, [job])).get(job.id);
  return deploymentBlock === undefined || deploymentBlock === 'waiting' ? null : deploymentBlock;
}

/** Returns the timeout of the job or project in seconds, limited by the runner's maximum. */
function getTimeout(job: RunnableJob, { maximum_timeout }: Runner, project: { readonly attributes: string }): number {
  const timeout = job.timeout ?? parseStoredAttributes(project).build_timeout;
  return maximum_timeout === null ? timeout : Math.min(timeout, maximum_timeout);
}

/**
 * Ids of the jobs that this process is assigning, by the configuration of the server. Concurrent requests compete for
 * the first pending job; a request skips a locked job instead of waiting.
 */
const LOCKED_JOB_IDS = new WeakMap<Config, Set<number>>();

/** Runs `task` while the job is locked. Returns 'locked' if another request has locked it already. */
export async function withAssignmentLock<T>(
  { config }: Pick<Services, 'config'>,
  id: number,
  task: () => Promise<T>,
): Promise<T | 'locked'> {
  const lockedIds = LOCKED_JOB_IDS.get(config) ?? new Set();
  LOCKED_JOB_IDS.set(config, lockedIds);
  if (lockedIds.has(id)) return 'locked';
  lockedIds.add(id);
  try {
    return await task();
  } finally {
    lockedIds.delete(id);
  }
}

/** Returns the features that a runner needs for a job (contract/runners.md §3.3 "Features"). */
function listRequiredFeatures({
  artifacts,
  allow_failure_exit_codes,
  retry,
  cache,
  release,
}: Partial<JobOptions>): string[] {
  const requiredFeatures: Readonly<Record<string, boolean>> = {
    upload_multiple_artifacts: Object.keys(artifacts?.reports ?? {}).length > 0,
    artifacts_exclude: (artifacts?.exclude ?? []).length > 0,
    return_exit_code: (allow_failure_exit_codes ?? []).length > 0 || (retry?.exit_codes ?? []).length > 0,
    fallback_cache_keys: (cache ?? []).some(({ fallback_keys }) => fallback_keys.length > 0),
    multi_build_steps: release !== null && release !== undefined,
  };
  return Object.keys(requiredFeatures).filter((name) => requiredFeatures[name]);
}

/** Returns whether a runner with these features can run the job. */
function supportsJob(
  features: Readonly<Record<string, boolean>> | null | undefined,
  options: Partial<JobOptions>,
): boolean {
  return listRequiredFeatures(options).every((name) => features?.[name] === true);
}

// Pending jobs that a runner may take (contract/runners.md §7). The index of pending jobs makes the cost of the queries
// independent of the number of finished jobs.

/** A pending job that a runner may take. */
type CandidateJob = Columns<'jobs', 'id' | 'project_id'>;

/** Number of candidates per query; other runners may take the first ones. */
const CANDIDATE_BATCH_SIZE = 20;

// index: jobs_pending
const selectPendingJob = prepare((db) =>
  db.selectFrom('jobs').select('id').where('status', '=', sql.lit('pending')).limit(1),
);

/** Returns whether any job is pending. Most polls end here, and the result is cached until a job changes. */
async function hasPendingJobs(db: Reader): Promise<boolean> {
  return (await selectPendingJob.first(db, {})) !== undefined;
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

/** Counts the pending jobs that a runner may take, up to `MAX_COUNTED_JOBS`. */
export async function countPendingJobs(db: Reader, runner: Runner): Promise<number> {
  const filter = { ...runner, id: sql.val(runner.id), group_id: sql.val(runner.group_id ?? 0) };
  const pendingJobs = selectPendingJobs(db, filter).select('jobs.id').limit(MAX_COUNTED_JOBS);
  const { count } = await db
    .selectFrom(pendingJobs.as('limited_jobs'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Maximum number of pending jobs that are counted, because runners only show the number. */
const MAX_COUNTED_JOBS = 1000;

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
