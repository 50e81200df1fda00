import type { Columns } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findBlockedDeployments } from './deployment-check.ts';
import { type JobKey, resetSkippedJobs, retryJob } from './retry.ts';
import { startJob } from './state-machine.ts';
import { listLatestJobs, replaceJobVariables } from './store.ts';

/** An additional variable of the job; its value is encrypted. */
export type JobVariable = Columns<'job_variables', 'key' | 'value'>;

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
