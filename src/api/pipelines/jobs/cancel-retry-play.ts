import type { Transaction } from '#database/database.ts';
import { findJob, type JobRow } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { cancelJob, playJob, retryJob } from '../processing/index.ts';

/** Actions of users on a job. Each returns the job after the action, or the new job that replaces it. */

export async function cancelAndReloadJob(
  uow: UnitOfWork,
  job: JobRow,
  force: boolean,
): Promise<JobRow | Failure<'notFound'>> {
  await cancelJob(uow, job.id, { force });
  return reloadJob(uow, job, job.id);
}

export async function retryAndReloadJob(
  uow: UnitOfWork,
  job: JobRow,
): Promise<JobRow | Failure<'notFound' | 'forbidden' | 'notRetryable'>> {
  const id = await retryJob(uow, job, uow.actor.user?.id ?? null);
  return isFailure(id) ? id : reloadJob(uow, job, id);
}

/** Plays a job. The values of `variables` are encrypted already. */
export async function playAndReloadJob(
  uow: UnitOfWork,
  job: JobRow,
  variables: Parameters<typeof playJob>[2],
): Promise<JobRow | Failure<'notFound' | 'forbidden' | 'unplayable'>> {
  const id = await playJob(uow, job, variables);
  return isFailure(id) ? id : reloadJob(uow, job, id);
}

async function reloadJob(tx: Transaction, { project_id }: JobRow, id: number): Promise<JobRow | Failure<'notFound'>> {
  return (await findJob(tx, project_id, id)) ?? fail('notFound');
}
