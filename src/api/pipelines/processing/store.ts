import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { allocateId, isInIds } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { CommitStatusName, JobStatus, PipelineStatus, ProcessMode } from '#database/schema.ts';
import { loadJobOptions } from '#domain/jobs.ts';
import type { CountedJob } from './composite-status.ts';
import type { JobNeed, PipelineJob } from './job-readiness.ts';

// Reads and writes the status of jobs and pipelines.

/** The fields of a job that pipeline processing reads and updates. */
export interface ProcessedJob extends PipelineJob {
  status: JobStatus;
  readonly resource_group_id: number | null;
  /** The name of the environment that the job deploys to, stops or accesses. */
  readonly environment: string | null;
  readonly user_id: number | null;
  readonly failure_reason: string | null;
}

// index: jobs_latest_by_name
const selectLatestJobs = prepare((db, value: Params<{ pipeline: number }>) =>
  db
    .selectFrom('jobs')
    .select(['id', 'name', 'stage_index', 'status', 'allow_failure', 'run_when', 'needs', 'resource_group_id'])
    .select(['environment', 'user_id', 'failure_reason'])
    .where('pipeline_id', '=', value('pipeline'))
    // Written like the condition of the partial index, so that the planner uses it.
    .where(sql<boolean>`not retried`)
    .orderBy('id'),
);

/** Returns the latest attempt of each job of the pipeline, ordered by id. */
export async function listLatestJobs(db: Reader, pipelineId: number): Promise<ProcessedJob[]> {
  const rows = await selectLatestJobs(db, { pipeline: pipelineId });
  return rows.map((row) => ({ ...row, needs: row.needs === null ? null : (JSON.parse(row.needs) as JobNeed[]) }));
}

/** The columns that may change together with the status of a job. */
export type JobChange = Omit<Updateable<Schema['jobs']>, 'id' | 'status' | 'project_id' | 'pipeline_id' | 'updated_at'>;

const returnedColumns = [
  'id',
  'project_id',
  'pipeline_id',
  'name',
  'status',
  'allow_failure',
  'user_id',
  'exit_code',
  'failure_reason',
  'resource_group_id',
  'environment',
  'scheduled_at',
] as const;

/** A job whose status has changed. */
export type ChangedJob = Pick<Selectable<Schema['jobs']>, (typeof returnedColumns)[number]>;

/**
 * Sets a job's status if it is one of `from` (compare-and-set). Returns the job, or null if it is not.
 * index: jobs primary key
 */
export async function updateJobStatus(
  tx: Transaction,
  jobId: number,
  from: readonly JobStatus[],
  to: JobStatus,
  change: JobChange,
): Promise<ChangedJob | null> {
  const row = await tx
    .updateTable('jobs')
    .set({ ...getStatusTimestamps(tx, to), ...change, status: to, updated_at: tx.now })
    // Keeps the timeout of the CI file for retries.
    .$if(change.timeout !== undefined, (query) => query.set((eb) => ({ file_timeout: eb.ref('timeout') })))
    .where('id', '=', jobId)
    .where('status', 'in', from)
    .returning(returnedColumns)
    .executeTakeFirst();
  return row ?? null;
}

/** Sets the status of many jobs, each of which was read in this transaction. */
export async function updateJobStatuses(
  tx: Transaction,
  ids: readonly number[],
  to: JobStatus,
  change: JobChange,
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ ...getStatusTimestamps(tx, to), ...change, status: to, updated_at: tx.now })
    .where(isInIds(tx, sql.ref('id'), ids))
    .execute();
}

/** Returns the timestamps that a status sets. */
function getStatusTimestamps({ now }: Transaction, to: JobStatus): JobChange {
  switch (to) {
    case 'pending':
      return { queued_at: now };
    case 'running':
      return { started_at: now, last_seen_at: now };
    case 'success':
    case 'failed':
    case 'canceled':
      return { finished_at: now };
    case 'created':
      return { queued_at: null, finished_at: null, scheduled_at: null };
    default:
      return {};
  }
}

/** Sets a delayed job to `scheduled`, to start at this time. index: jobs primary key */
export async function updateToScheduled(tx: Transaction, jobId: number, scheduledAt: string): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ status: 'scheduled', scheduled_at: scheduledAt, updated_at: tx.now })
    .where('id', '=', jobId)
    .execute();
}

/** Returns the options of the CI file that affect job statuses, by job id. */
export async function loadProcessingOptions(
  db: Reader,
  ids: readonly number[],
): Promise<Map<number, ProcessingOptions>> {
  return loadJobOptions<ProcessingOptions>(db, ids, ['start_in', 'retry', 'allow_failure_exit_codes']);
}

/** The options of the CI file that affect job statuses. */
export interface ProcessingOptions {
  /** Delay of a delayed job in seconds. */
  readonly start_in?: number | null;
  readonly retry?: {
    readonly max: number;
    readonly when: readonly string[];
    readonly exit_codes: readonly number[];
  } | null;
  readonly allow_failure_exit_codes?: readonly number[] | null;
}

/** Returns the ids of the jobs whose runner manager supports `cancel_gracefully`. index: jobs primary key */
export async function findGracefullyCancelable(db: Reader, jobIds: readonly number[]): Promise<number[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('runner_managers', 'runner_managers.id', 'jobs.runner_manager_id')
    .select(['jobs.id', 'runner_managers.features'])
    .where(isInIds(db, sql.ref('jobs.id'), jobIds))
    .execute();
  return rows.filter(({ features }) => supportsGracefulCancel(features)).map(({ id }) => id);
}

function supportsGracefulCancel(features: string | null): boolean {
  const parsedFeatures = features === null ? null : (JSON.parse(features) as { cancel_gracefully?: unknown } | null);
  return parsedFeatures?.cancel_gracefully === true;
}

/** Replaces all variables of a job. index: job_variables_by_key */
export async function replaceJobVariables(
  tx: Transaction,
  jobId: number,
  variables: readonly { readonly key: string; readonly value: string }[],
): Promise<void> {
  await tx.deleteFrom('job_variables').where('job_id', '=', jobId).execute();
  if (variables.length === 0) return;
  const rows = variables.map(({ key, value }) => ({ job_id: jobId, key, value }));
  await tx.insertInto('job_variables').values(rows).execute();
}

/** Returns the fields of a job that decide how it starts, or null. index: jobs primary key */
export async function findJobToStart(db: Reader, jobId: number) {
  const row = await db
    .selectFrom('jobs')
    .select(['id', 'project_id', 'pipeline_id', 'resource_group_id', 'environment', 'user_id'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row ?? null;
}

/** Marks a job as allowed to fail. index: jobs primary key */
export async function setAllowFailure(tx: Transaction, jobId: number): Promise<void> {
  await tx.updateTable('jobs').set({ allow_failure: true }).where('id', '=', jobId).execute();
}

/** Returns how many attempts of this job name were retried. index: jobs_by_pipeline */
export async function countRetriedAttempts(db: Reader, pipelineId: number, name: string): Promise<number> {
  const { count } = await db
    .selectFrom('jobs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where('retried', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Statuses that set the time at which a pipeline finished; a skipped pipeline never started. */
const STATUSES_WITH_END: readonly PipelineStatus[] = ['success', 'failed', 'canceled'];

/**
 * Sets the pipeline's status. Returns false if it is unchanged. A pipeline with an invalid CI file stays failed,
 * whatever external statuses it has.
 * index: pipelines primary key
 */
export async function setPipelineStatus(tx: Transaction, pipelineId: number, status: PipelineStatus): Promise<boolean> {
  const updatedPipelines = await tx
    .updateTable('pipelines')
    .set((eb) => ({
      status,
      ...(status === 'running' ? { started_at: eb.fn.coalesce('started_at', eb.val(tx.now)) } : {}),
      finished_at: STATUSES_WITH_END.includes(status) ? tx.now : null,
      updated_at: tx.now,
    }))
    .where('id', '=', pipelineId)
    .where('status', '<>', status)
    .where('yaml_errors', 'is', null)
    .returning('id')
    .execute();
  return updatedPipelines.length > 0;
}

// Reads and writes the commit statuses of external systems.

/** The statuses of unfinished commit statuses. */
export const UNFINISHED_COMMIT_STATUSES: readonly CommitStatusName[] = ['pending', 'running'];

const isLatest = sql<SqlBool>`not retried`;

/** Returns the distinct statuses of a pipeline's external commit statuses. index: commit_statuses_latest_by_status */
export async function listExternalStatuses(db: Reader, pipelineId: number): Promise<CountedJob[]> {
  const rows = await db
    .selectFrom('commit_statuses')
    .select('status')
    .distinct()
    .where('pipeline_id', '=', pipelineId)
    .where(isLatest)
    .execute();
  return rows.map(({ status }) => ({ status, allow_failure: false }));
}

/** Returns the latest commit status with this name, or null. index: commit_statuses_latest_by_name */
export async function findLatestCommitStatus(db: Reader, pipelineId: number, name: string) {
  const row = await db
    .selectFrom('commit_statuses')
    .select(['id', 'status', 'user_id'])
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where(isLatest)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns whether the pipeline has a job with this name. index: jobs_latest_by_name */
export function hasJobWithName(db: Reader, pipelineId: number, name: string): Promise<boolean> {
  const jobs = db.selectFrom('jobs').select('id').where('pipeline_id', '=', pipelineId).where('name', '=', name);
  return hasRow(jobs.where(isLatest));
}

type NewRow = Omit<Insertable<Schema['commit_statuses']>, 'id' | 'retried' | 'created_at' | 'updated_at'>;

/** Inserts a commit status and returns its id. Commit statuses and jobs share one id sequence. */
export async function insertCommitStatus(tx: Transaction, row: NewRow): Promise<number> {
  const id = await allocateId(tx, 'jobs');
  const values = { ...row, id, retried: false, created_at: tx.now, updated_at: tx.now };
  await tx.insertInto('commit_statuses').values(values).execute();
  return id;
}

/** Updates columns of a commit status. index: commit_statuses primary key */
export async function updateCommitStatus(
  tx: Transaction,
  id: number,
  changes: Omit<Updateable<Schema['commit_statuses']>, 'id' | 'updated_at'>,
): Promise<void> {
  await tx
    .updateTable('commit_statuses')
    .set({ ...changes, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

/** Cancels the unfinished commit statuses of a canceled pipeline. index: commit_statuses_latest_by_status */
export async function cancelCommitStatuses(tx: Transaction, pipelineId: number): Promise<void> {
  await tx
    .updateTable('commit_statuses')
    .set({ status: 'canceled', finished_at: tx.now, updated_at: tx.now })
    .where('pipeline_id', '=', pipelineId)
    .where('status', 'in', UNFINISHED_COMMIT_STATUSES)
    .where(isLatest)
    .execute();
}

// One job of a resource group runs at a time; the others wait (contract/runners.md §5.6).

/** Statuses of jobs that occupy the resource. */
const OCCUPYING_STATUSES: readonly JobStatus[] = ['pending', 'running', 'canceling', 'preparing'];

/** Statuses of jobs that may precede waiting jobs if the process mode orders jobs by pipeline. */
const UPCOMING_STATUSES: readonly JobStatus[] = ['created', 'scheduled', 'waiting_for_resource'];

type WaitingJob = Columns<'jobs', 'id' | 'pipeline_id' | 'project_id' | 'environment'>;

/** Returns the next job to start in this group; null while another job occupies it, or none is ready. */
export async function findNextInResourceGroup(db: Reader, groupId: number): Promise<WaitingJob | null> {
  // index: jobs_by_resource_group
  const activeJob = await db
    .selectFrom('jobs')
    .select('id')
    .where('resource_group_id', '=', groupId)
    .where('status', 'in', OCCUPYING_STATUSES)
    .limit(1)
    .executeTakeFirst();
  if (activeJob) return null;
  // index: resource_groups primary key
  const group = await db
    .selectFrom('resource_groups')
    .select('process_mode')
    .where('id', '=', groupId)
    .executeTakeFirst();
  if (!group) return null;
  const firstJob = await findFirstWaiting(db, groupId, group.process_mode);
  // In the modes that order jobs by pipeline, the first job may not be ready yet.
  return firstJob?.status === 'waiting_for_resource' ? firstJob : null;
}

// index: jobs_by_resource_group
async function findFirstWaiting(db: Reader, groupId: number, mode: ProcessMode) {
  const isOrdered = mode === 'oldest_first' || mode === 'newest_first';
  const direction = mode === 'newest_first' || mode === 'newest_ready_first' ? 'desc' : 'asc';
  return db
    .selectFrom('jobs')
    .select(['id', 'pipeline_id', 'project_id', 'status', 'environment'])
    .where('resource_group_id', '=', groupId)
    .where('status', 'in', isOrdered ? UPCOMING_STATUSES : ['waiting_for_resource' as const])
    .where(sql<boolean>`not retried`)
    .orderBy('pipeline_id', direction)
    .orderBy('id', direction)
    .limit(1)
    .executeTakeFirst();
}

/** Returns the ids of the resource groups of these jobs, sorted and without duplicates. */
export function getResourceGroupIds(jobs: readonly { readonly resource_group_id: number | null }[]): number[] {
  return [...new Set(jobs.flatMap(({ resource_group_id: id }) => (id === null ? [] : [id])))].sort((a, b) => a - b);
}
