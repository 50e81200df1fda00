import type { JobStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type EngineJob, type JobChange, type SteppedJob, scheduleRow, stepRow, stepRows } from './store.ts';

/**
 * The steps of jobs: no status changes but here, and what has happened is told. Of jobs with an environment every step is,
 * to those who keep what is deployed there.
 */

/** A job of one pipeline that makes a step. */
export type Stepping = Pick<EngineJob, 'id' | 'environment'>;

/** The pipeline that jobs are of. */
export interface Whose {
  readonly project_id: number;
  readonly pipeline_id: number;
}

/** A pipeline, as its jobs name it. */
export function whoseAre({ id, project_id }: { readonly id: number; readonly project_id: number }): Whose {
  return { project_id, pipeline_id: id };
}

/** Brings one job from one of these statuses to another; null: it was in none of them any more. */
export async function stepJob(
  uow: UnitOfWork,
  jobId: number,
  from: readonly JobStatus[],
  to: JobStatus,
  change: JobChange = {},
): Promise<SteppedJob | null> {
  const job = await stepRow(uow, jobId, from, to, change);
  if (job !== null) await tell(uow, job, [job], to);
  return job;
}

/** The same of many of one pipeline at once, of which each has been read in this transaction. */
export async function stepJobs(
  uow: UnitOfWork,
  whose: Whose,
  jobs: readonly Stepping[],
  to: JobStatus,
  change: JobChange = {},
): Promise<void> {
  if (jobs.length === 0) return;
  await stepRows(uow, idsOf(jobs), to, change);
  await tell(uow, whose, jobs, to);
}

/** Has the delayed job become pending at this moment, and not before. */
export async function scheduleJob(uow: UnitOfWork, whose: Whose, job: Stepping, scheduledAt: string): Promise<void> {
  await scheduleRow(uow, job.id, scheduledAt);
  await tell(uow, whose, [job], 'scheduled');
}

async function tell(uow: UnitOfWork, whose: Whose, jobs: readonly Stepping[], to: JobStatus): Promise<void> {
  const deploying = jobs.filter(({ environment }) => environment !== null);
  if (deploying.length === 0) return;
  const { project_id: projectId, pipeline_id: pipelineId } = whose;
  await uow.publish('jobs-stepped', { projectId, pipelineId, jobIds: idsOf(deploying), to });
}

export function idsOf(jobs: readonly { readonly id: number }[]): number[] {
  return jobs.map(({ id }) => id);
}
