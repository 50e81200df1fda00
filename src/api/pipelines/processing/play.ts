import type { JobStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findBlockedDeployments } from './deployment-check.ts';
import { type JobKey, resetSkippedJobs, retryJob } from './retry.ts';
import { startJob } from './state-machine.ts';
import { listLatestJobs, replaceJobVariables } from './store.ts';

/** A variable that the job has besides; its value is encrypted. */
export interface JobVariable {
  readonly key: string;
  readonly value: string;
}

const PLAYABLE: readonly JobStatus[] = ['manual', 'scheduled'];

/**
 * Starts a job that waits for somebody, or another attempt of such a one that has ended: whoever plays it is its user, or
 * the one in whose name it is played. Returns the id of the job that runs. `unplayable` too while approvals of its deployment
 * are missing; `forbidden`: he may not deploy to its environment.
 */
export async function playJob(
  uow: UnitOfWork,
  job: JobKey,
  variables: readonly JobVariable[],
  userId: number | null = uow.actor.user?.id ?? null,
): Promise<number | Failure<'unplayable' | 'forbidden'>> {
  const jobs = await listLatestJobs(uow, job.pipeline_id);
  const found = jobs.find(({ id }) => id === job.id);
  if (!found) return fail('unplayable');
  const held = (await findBlockedDeployments(uow, job, [{ ...found, user_id: userId }])).get(found.id);
  if (held === 'waiting' && found.status === 'manual') return fail('unplayable');
  if (held === 'protected_environment_failure') return fail('forbidden');
  if (PLAYABLE.includes(found.status)) {
    await replaceJobVariables(uow, job.id, variables);
    await resetSkippedJobs(uow, job, jobs, found);
    await startJob(uow, job.id, PLAYABLE, { user_id: userId });
    return job.id;
  }
  if (found.run_when !== 'manual' && found.run_when !== 'delayed') return fail('unplayable');
  const again = await retryJob(uow, job, userId);
  if (isFailure(again)) return again.code === 'forbidden' ? fail('forbidden') : fail('unplayable');
  if (variables.length > 0) await replaceJobVariables(uow, again, variables);
  return again;
}

/**
 * Starts a job that has waited for approvals, as its own user, now that it has them. He may have lost the right to deploy
 * meanwhile: then it fails.
 */
export async function releaseJob(uow: UnitOfWork, job: JobKey): Promise<void> {
  const jobs = await listLatestJobs(uow, job.pipeline_id);
  const found = jobs.find(({ id }) => id === job.id);
  if (found?.status !== 'manual') return;
  await resetSkippedJobs(uow, job, jobs, found);
  await startJob(uow, job.id, ['manual']);
}
