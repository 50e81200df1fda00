import type { Columns } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type ClonedJob, cloneJobs } from './clone-jobs.ts';
import { findBlockedDeployments } from './deployment-check.ts';
import { findLaterJobs } from './job-readiness.ts';
import { getIds, type PipelineRef, toPipelineRef, transitionJobs } from './job-transitions.ts';
import { type PipelineKey, processPipeline, startJob } from './state-machine.ts';
import { listLatestJobs, type ProcessedJob } from './store.ts';

/** Identifies a job with its project and pipeline. */
export type JobKey = Columns<'commit_statuses', 'id' | 'project_id' | 'pipeline_id'>;

const RETRYABLE_STATUSES: readonly JobStatus[] = ['success', 'failed', 'canceled'];

function isRetryable({ status, failure_reason }: ProcessedJob): boolean {
  return RETRYABLE_STATUSES.includes(status) && failure_reason !== 'deployment_rejected';
}

/**
 * Retries a finished job: inserts a new job of this user and marks the old one as retried. Skipped later jobs wait
 * again. Returns the id of the new job. `forbidden`: the user may not deploy to its environment.
 */
export async function retryJob(
  uow: UnitOfWork,
  job: JobKey,
  userId: number | null,
): Promise<number | Failure<'notRetryable' | 'forbidden'>> {
  const jobs = await listLatestJobs(uow, job.pipeline_id);
  const oldJob = jobs.find(({ id }) => id === job.id);
  if (!oldJob || !isRetryable(oldJob)) return fail('notRetryable');
  const block = (await findBlockedDeployments(uow, job, [{ ...oldJob, user_id: userId }])).get(oldJob.id);
  if (block === 'protected_environment_failure') return fail('forbidden');
  const [clone] = await cloneJobs(uow, job, [job.id], userId);
  if (!clone) return fail('notRetryable');
  await resetSkippedJobs(uow, job, jobs, oldJob);
  await startClone(uow, job, clone);
  return clone.id;
}

/** Starts the new job. A manual or delayed job starts at once, because the retry is already an explicit request. */
async function startClone(uow: UnitOfWork, job: JobKey, clone: ClonedJob): Promise<void> {
  if (clone.run_when === 'manual' || clone.run_when === 'delayed') await startJob(uow, clone.id, ['created']);
  else await processPipeline(uow, { id: job.pipeline_id, project_id: job.project_id });
}

/** Sets skipped jobs that run after this one back to `created`. */
export async function resetSkippedJobs(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  jobs: readonly ProcessedJob[],
  job: ProcessedJob,
): Promise<void> {
  const skippedJobs = findLaterJobs(jobs, job).filter(({ status }) => status === 'skipped');
  await transitionJobs(uow, pipeline, skippedJobs, 'created');
}

/** Retries each failed or canceled job of the pipeline. Skipped jobs wait again. */
export async function retryPipeline(uow: UnitOfWork, pipeline: PipelineKey): Promise<void> {
  const jobs = await listLatestJobs(uow, pipeline.id);
  const retryableJobs = jobs.filter((job) => job.status !== 'success' && isRetryable(job));
  const pipelineRef = toPipelineRef(pipeline);
  await cloneJobs(uow, pipelineRef, getIds(retryableJobs), uow.actor.user?.id ?? null);
  const skippedJobs = jobs.filter(({ status }) => status === 'skipped');
  await transitionJobs(uow, pipelineRef, skippedJobs, 'created');
  await processPipeline(uow, pipeline);
}
