import { type SqlBool, sql } from 'kysely';
import type { Columns, Reader } from '#database/database.ts';
import type { JobStatus, PipelineStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  type ChangedJob,
  type JobChange,
  type ProcessedJob,
  updateJobStatus,
  updateJobStatuses,
  updateToScheduled,
} from './store.ts';

// Writes all status changes of jobs. Changes of jobs with an environment are published as events, so that their
// deployments are updated.

/** A job whose status changes. */
type JobInTransition = Pick<ProcessedJob, 'id' | 'environment'>;

/** The pipeline of the jobs, with its project. */
export type PipelineOfJobs = Columns<'jobs', 'project_id' | 'pipeline_id'>;

/** Converts a pipeline row to the column names of job rows. */
export function toPipelineOfJobs({
  id,
  project_id,
}: {
  readonly id: number;
  readonly project_id: number;
}): PipelineOfJobs {
  return { project_id, pipeline_id: id };
}

/** Changes a job's status from one of `from` to `to`. Returns the job, or null if it has none of the statuses `from`. */
export async function transitionJob(
  uow: UnitOfWork,
  jobId: number,
  from: readonly JobStatus[],
  to: JobStatus,
  change: JobChange = {},
): Promise<ChangedJob | null> {
  const job = await updateJobStatus(uow, jobId, from, to, change);
  if (job !== null) await publishStatusChange(uow, job, [job], to);
  return job;
}

/** Changes the status of many jobs of one pipeline. The caller must have read them in this transaction. */
export async function transitionJobs(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  jobs: readonly JobInTransition[],
  to: JobStatus,
  change: JobChange = {},
): Promise<void> {
  if (jobs.length === 0) return;
  await updateJobStatuses(uow, getIds(jobs), to, change);
  await publishStatusChange(uow, pipeline, jobs, to);
}

/** Sets a delayed job to `scheduled`, to start at this time. */
export async function scheduleJob(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  job: JobInTransition,
  scheduledAt: string,
): Promise<void> {
  await updateToScheduled(uow, job.id, scheduledAt);
  await publishStatusChange(uow, pipeline, [job], 'scheduled');
}

async function publishStatusChange(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  jobs: readonly JobInTransition[],
  to: JobStatus,
): Promise<void> {
  const deployJobs = jobs.filter(({ environment }) => environment !== null);
  if (deployJobs.length === 0) return;
  const { project_id: projectId, pipeline_id: pipelineId } = pipeline;
  await uow.publish('job-status-changed', { projectId, pipelineId, jobIds: getIds(deployJobs), to });
}

/** Returns the ids of these jobs. */
export function getIds(jobs: readonly { readonly id: number }[]): number[] {
  return jobs.map(({ id }) => id);
}

// The outcomes of pipelines that users are notified of (contract/activity.md Part 5): success or failure. A success
// counts as fixed if the latest outcome of the same ref is a failure, which may be an earlier outcome of the same pipeline.

type PipelineOutcome = 'success' | 'failed';

const isOutcome = (status: PipelineStatus): status is PipelineOutcome => status === 'success' || status === 'failed';

/** Stores the outcome and publishes the events, in the unit of work that sets the pipeline status. */
export async function recordOutcome(uow: UnitOfWork, pipelineId: number, status: PipelineStatus): Promise<void> {
  if (isOutcome(status) || status === 'skipped') await uow.publish('pipeline-finished', { pipelineId, status });
  if (!isOutcome(status)) return;
  const isFixed = status === 'success' && (await wasFailing(uow, pipelineId));
  await uow.updateTable('pipelines').set({ outcome: status }).where('id', '=', pipelineId).execute();
  const event = status === 'failed' ? 'failed_pipeline' : isFixed ? 'fixed_pipeline' : 'success_pipeline';
  await uow.publish('notifiable-event-occurred', { event, about: { type: 'Pipeline', id: pipelineId } });
}

// A literal condition, so that the planner uses the partial index.
const HAS_OUTCOME = sql<SqlBool>`latest.outcome is not null`;

/**
 * Returns whether the latest pipeline of this ref with an outcome has failed. False if that pipeline is newer than this
 * one: then this one fixes nothing.
 * index: pipelines primary key, pipelines_with_outcome
 */
async function wasFailing(db: Reader, pipelineId: number): Promise<boolean> {
  const row = await db
    .selectFrom('pipelines')
    .innerJoin('pipelines as latest', (join) =>
      join
        .onRef('latest.project_id', '=', 'pipelines.project_id')
        .onRef('latest.ref', '=', 'pipelines.ref')
        .onRef('latest.tag', '=', 'pipelines.tag'),
    )
    .select(['latest.id', 'latest.outcome'])
    .where('pipelines.id', '=', pipelineId)
    .where(HAS_OUTCOME)
    .orderBy('latest.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined && row.id <= pipelineId && row.outcome === 'failed';
}
