import { type Selectable, sql, type Updateable } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus, PipelineStatus } from '#database/tables/pipelines.ts';
import type { JobNeed, PipelineJob } from './job-readiness.ts';

/** The rows behind the states: jobs as far as their places in pipelines go, and the status of pipelines. */

/** A job as the engine sees it, and brings it on. */
export interface ProcessedJob extends PipelineJob {
  status: JobStatus;
  readonly resource_group_id: number | null;
  /** The name of what it deploys to, stops or looks at. */
  readonly environment: string | null;
  readonly user_id: number | null;
  readonly failure_reason: string | null;
}

// index: jobs_latest_by_name
const latestJobsQuery = prepare((db, value: Params<{ pipeline: number }>) =>
  db
    .selectFrom('jobs')
    .select(['id', 'name', 'stage_index', 'status', 'allow_failure', 'run_when', 'needs', 'resource_group_id'])
    .select(['environment', 'user_id', 'failure_reason'])
    .where('pipeline_id', '=', value('pipeline'))
    .where(sql<boolean>`not retried`)
    .orderBy('id'),
);

/** The latest attempt of each job of the pipeline, in the order of their ids. */
export async function listLatestJobs(db: Reader, pipelineId: number): Promise<ProcessedJob[]> {
  const rows = await latestJobsQuery(db, { pipeline: pipelineId });
  return rows.map((row) => ({ ...row, needs: row.needs === null ? null : (JSON.parse(row.needs) as JobNeed[]) }));
}

/** What a step of a job may say besides where it goes. */
export type JobChange = Omit<Updateable<Schema['jobs']>, 'id' | 'status' | 'project_id' | 'pipeline_id' | 'updated_at'>;

const changedColumns = [
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

/** A job that has made a step. */
export type ChangedJob = Pick<Selectable<Schema['jobs']>, (typeof changedColumns)[number]>;

/** The compare-and-set of one job's status; null: it was in none of these any more. index: jobs primary key */
export async function updateJobStatus(
  tx: Transaction,
  jobId: number,
  from: readonly JobStatus[],
  to: JobStatus,
  change: JobChange,
): Promise<ChangedJob | null> {
  const row = await tx
    .updateTable('jobs')
    .set({ ...statusTimestamps(tx, to), ...change, status: to, updated_at: tx.now })
    // What the file says stays with those that are run again.
    .$if(change.timeout !== undefined, (query) => query.set((eb) => ({ file_timeout: eb.ref('timeout') })))
    .where('id', '=', jobId)
    .where('status', 'in', from)
    .returning(changedColumns)
    .executeTakeFirst();
  return row ?? null;
}

/** The same of many at once, of which each has been read in this transaction. */
export async function updateJobStatuses(
  tx: Transaction,
  ids: readonly number[],
  to: JobStatus,
  change: JobChange,
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ ...statusTimestamps(tx, to), ...change, status: to, updated_at: tx.now })
    .where(isInIds(tx, sql.ref('id'), ids))
    .execute();
}

/** The moments of a job's life that a status brings. */
function statusTimestamps({ now }: Transaction, to: JobStatus): JobChange {
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

/** Has the delayed job become pending at this moment, and not before. index: jobs primary key */
export async function updateToScheduled(tx: Transaction, jobId: number, scheduledAt: string): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ status: 'scheduled', scheduled_at: scheduledAt, updated_at: tx.now })
    .where('id', '=', jobId)
    .execute();
}

/** What the CI file says of these jobs, by their ids. index: jobs primary key */
export async function loadProcessingOptions(
  db: Reader,
  ids: readonly number[],
): Promise<Map<number, ProcessingOptions>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'options'])
    .where(isInIds(db, sql.ref('id'), ids))
    .execute();
  return new Map(rows.map(({ id, options }) => [id, JSON.parse(options) as ProcessingOptions]));
}

/** What of it the states depend on. */
export interface ProcessingOptions {
  /** Seconds. */
  readonly start_in?: number | null;
  readonly retry?: {
    readonly max: number;
    readonly when: readonly string[];
    readonly exit_codes: readonly number[];
  } | null;
  readonly allow_failure_exit_codes?: readonly number[] | null;
}

/** Of these jobs those whose runner's manager ends them itself when they are canceled. index: jobs primary key */
export async function findGracefullyCancelable(db: Reader, jobIds: readonly number[]): Promise<number[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('runner_managers', 'runner_managers.id', 'jobs.runner_manager_id')
    .select(['jobs.id', 'runner_managers.features'])
    .where(isInIds(db, sql.ref('jobs.id'), jobIds))
    .execute();
  return rows.filter(({ features }) => endsGracefully(features)).map(({ id }) => id);
}

function endsGracefully(features: string | null): boolean {
  const said = features === null ? null : (JSON.parse(features) as { cancel_gracefully?: unknown } | null);
  return said?.cancel_gracefully === true;
}

/** The variables of a job alone: these, and no others. index: job_variables_by_key */
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

/** What of a job decides how it begins. index: jobs primary key */
export async function findJobToStart(db: Reader, jobId: number) {
  const row = await db
    .selectFrom('jobs')
    .select(['id', 'project_id', 'pipeline_id', 'resource_group_id', 'environment', 'user_id'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row ?? null;
}

/** index: jobs primary key */
export async function setAllowFailure(tx: Transaction, jobId: number): Promise<void> {
  await tx.updateTable('jobs').set({ allow_failure: true }).where('id', '=', jobId).execute();
}

/** How many attempts of this name there were before the latest. index: jobs_by_pipeline */
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

const FINISHED_STATUSES: readonly PipelineStatus[] = ['success', 'failed', 'canceled'];

/**
 * Writes what the pipeline's jobs make of it; false: it was so already. One whose CI file is broken has failed, whatever
 * others say of its commit. index: pipelines primary key
 */
export async function setPipelineStatus(tx: Transaction, pipelineId: number, status: PipelineStatus): Promise<boolean> {
  const changed = await tx
    .updateTable('pipelines')
    .set((eb) => ({
      status,
      ...(status === 'running' ? { started_at: eb.fn.coalesce('started_at', eb.val(tx.now)) } : {}),
      finished_at: FINISHED_STATUSES.includes(status) ? tx.now : null,
      updated_at: tx.now,
    }))
    .where('id', '=', pipelineId)
    .where('status', '<>', status)
    .where('yaml_errors', 'is', null)
    .returning('id')
    .execute();
  return changed.length > 0;
}
