import type { Columns } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { type ClonedJob, cloneJobs } from './clone-jobs.ts';
import { findBlockedDeployments } from './deployment-check.ts';
import { findLaterJobs, hasFinished } from './job-readiness.ts';
import { getIds, type PipelineOfJobs, toPipelineOfJobs, transitionJobs } from './job-transitions.ts';
import { changeJobStatus, type PipelineKey, processPipeline, startJob } from './state-machine.ts';
import {
  cancelCommitStatuses,
  findGracefullyCancelable,
  getResourceGroupIds,
  listLatestJobs,
  type ProcessedJob,
  replaceJobVariables,
} from './store.ts';

/** An additional variable of the job; its value is encrypted. */
type JobVariable = Columns<'job_variables', 'key' | 'value'>;

const PLAYABLE_STATUSES: readonly JobStatus[] = ['manual', 'scheduled'];

/**
 * Starts a manual or delayed job, or retries it if it has finished. `userId` becomes the user of the job. Returns the
 * id of the started job. `unplayable`: the job is neither manual nor delayed, or approvals of its deployment are
 * missing. `forbidden`: the user may not deploy to its environment.
 */
export async function playJob(
  uow: UnitOfWork,
  job: JobKey,
  variables: readonly JobVariable[],
  userId: number | null = uow.actor.user?.id ?? null,
): Promise<number | Failure<'unplayable' | 'forbidden'>> {
  const jobs = await listLatestJobs(uow, job.pipeline_id);
  const currentJob = jobs.find(({ id }) => id === job.id);
  if (!currentJob) return fail('unplayable');
  const block = (await findBlockedDeployments(uow, job, [{ ...currentJob, user_id: userId }])).get(currentJob.id);
  if (block === 'waiting' && currentJob.status === 'manual') return fail('unplayable');
  if (block === 'protected_environment_failure') return fail('forbidden');
  if (PLAYABLE_STATUSES.includes(currentJob.status)) {
    await replaceJobVariables(uow, job.id, variables);
    await resetSkippedJobs(uow, job, jobs, currentJob);
    await startJob(uow, job.id, PLAYABLE_STATUSES, { user_id: userId });
    return job.id;
  }
  if (currentJob.run_when !== 'manual' && currentJob.run_when !== 'delayed') return fail('unplayable');
  const newJobId = await retryJob(uow, job, userId);
  if (isFailure(newJobId)) return newJobId.code === 'forbidden' ? fail('forbidden') : fail('unplayable');
  if (variables.length > 0) await replaceJobVariables(uow, newJobId, variables);
  return newJobId;
}

/**
 * Starts a job whose deployment was approved, as the job's own user. The job fails if this user may
 * no longer deploy.
 */
export async function releaseJob(uow: UnitOfWork, job: JobKey): Promise<void> {
  const jobs = await listLatestJobs(uow, job.pipeline_id);
  const currentJob = jobs.find(({ id }) => id === job.id);
  if (currentJob?.status !== 'manual') return;
  await resetSkippedJobs(uow, job, jobs, currentJob);
  await startJob(uow, job.id, ['manual']);
}

/** Statuses of jobs that have not started and can be canceled immediately. */
const WAITING_STATUSES: readonly JobStatus[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'manual',
  'scheduled',
];

/**
 * Cancels a job. A finished or `canceling` job stays as it is. A running job becomes `canceling` if its runner manager
 * supports it. `force`: cancels only a `canceling` job, without waiting for its runner.
 */
export async function cancelJob(uow: UnitOfWork, jobId: number, { force = false } = {}): Promise<void> {
  if (force) {
    await changeJobStatus(uow, jobId, ['canceling'], 'canceled');
    return;
  }
  if ((await changeJobStatus(uow, jobId, WAITING_STATUSES, 'canceled')) !== null) return;
  const isGraceful = (await findGracefullyCancelable(uow, [jobId])).length > 0;
  await changeJobStatus(uow, jobId, ['running'], isGraceful ? 'canceling' : 'canceled');
}

/**
 * Cancels all unfinished jobs of a pipeline. A finished pipeline stays as it is, including its manual jobs. `force`:
 * does not wait for runners.
 */
export async function cancelPipeline(
  uow: UnitOfWork,
  pipeline: PipelineKey & { readonly status: JobStatus },
  { force = false } = {},
): Promise<void> {
  if (hasFinished(pipeline.status)) return;
  const jobs = await listLatestJobs(uow, pipeline.id);
  const pipelineOfJobs = toPipelineOfJobs(pipeline);
  const runningJobs = jobs.filter(({ status }) => status === 'running');
  const gracefulIds = new Set(force ? [] : await findGracefullyCancelable(uow, getIds(runningJobs)));
  const waitingJobs = jobs.filter(({ status }) => WAITING_STATUSES.includes(status));
  const jobsBeingCanceled = force ? jobs.filter(({ status }) => status === 'canceling') : [];
  const endedJobs = [...runningJobs.filter(({ id }) => !gracefulIds.has(id)), ...jobsBeingCanceled];
  await transitionJobs(uow, pipelineOfJobs, [...waitingJobs, ...endedJobs], 'canceled');
  const cancelingJobs = runningJobs.filter(({ id }) => gracefulIds.has(id));
  await transitionJobs(uow, pipelineOfJobs, cancelingJobs, 'canceling');
  for (const { id: jobId } of endedJobs) {
    await uow.publish('job-finished', { jobId, pipelineId: pipeline.id, projectId: pipeline.project_id });
  }
  await cancelCommitStatuses(uow, pipeline.id);
  await processPipeline(uow, pipeline, getResourceGroupIds(jobs));
}

/** Identifies a job with its project and pipeline. */
type JobKey = Columns<'jobs', 'id' | 'project_id' | 'pipeline_id'>;

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

/** Starts the new job. A manual or delayed job starts immediately, because the retry is already an explicit request. */
async function startClone(uow: UnitOfWork, job: JobKey, clone: ClonedJob): Promise<void> {
  if (clone.run_when === 'manual' || clone.run_when === 'delayed') await startJob(uow, clone.id, ['created']);
  else await processPipeline(uow, { id: job.pipeline_id, project_id: job.project_id });
}

/** Sets skipped jobs that run after this one back to `created`. */
async function resetSkippedJobs(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
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
  const pipelineOfJobs = toPipelineOfJobs(pipeline);
  await cloneJobs(uow, pipelineOfJobs, getIds(retryableJobs), uow.actor.user?.id ?? null);
  const skippedJobs = jobs.filter(({ status }) => status === 'skipped');
  await transitionJobs(uow, pipelineOfJobs, skippedJobs, 'created');
  await processPipeline(uow, pipeline);
}
