import type { JobStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  type ChangedJob,
  type JobChange,
  type ProcessedJob,
  updateJobStatus,
  updateJobStatuses,
  updateToScheduled,
} from './store.ts';

/**
 * The steps of jobs: no status changes but here, and what has happened is told. Of jobs with an environment every step is,
 * to those who keep what is deployed there.
 */

/** A job of one pipeline that makes a step. */
export type JobInTransition = Pick<ProcessedJob, 'id' | 'environment'>;

/** The pipeline that jobs are of. */
export interface PipelineRef {
  readonly project_id: number;
  readonly pipeline_id: number;
}

/** A pipeline, as its jobs name it. */
export function toPipelineRef({ id, project_id }: { readonly id: number; readonly project_id: number }): PipelineRef {
  return { project_id, pipeline_id: id };
}

/** Brings one job from one of these statuses to another; null: it was in none of them any more. */
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

/** The same of many of one pipeline at once, of which each has been read in this transaction. */
export async function transitionJobs(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  jobs: readonly JobInTransition[],
  to: JobStatus,
  change: JobChange = {},
): Promise<void> {
  if (jobs.length === 0) return;
  await updateJobStatuses(uow, getIds(jobs), to, change);
  await publishStatusChange(uow, pipeline, jobs, to);
}

/** Has the delayed job become pending at this moment, and not before. */
export async function scheduleJob(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  job: JobInTransition,
  scheduledAt: string,
): Promise<void> {
  await updateToScheduled(uow, job.id, scheduledAt);
  await publishStatusChange(uow, pipeline, [job], 'scheduled');
}

async function publishStatusChange(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  jobs: readonly JobInTransition[],
  to: JobStatus,
): Promise<void> {
  const deploying = jobs.filter(({ environment }) => environment !== null);
  if (deploying.length === 0) return;
  const { project_id: projectId, pipeline_id: pipelineId } = pipeline;
  await uow.publish('job-status-changed', { projectId, pipelineId, jobIds: getIds(deploying), to });
}

export function getIds(jobs: readonly { readonly id: number }[]): number[] {
  return jobs.map(({ id }) => id);
}
