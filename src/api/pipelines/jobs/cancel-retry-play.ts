import type { Transaction } from '#database/database.ts';
import { findJob, type JobRow } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { cancelJob, playJob, retryJob } from '../processing/index.ts';

/** What users do with a job; each returns the job as it is then, or the one that has come in its place. */

export async function cancel(uow: UnitOfWork, job: JobRow, force: boolean): Promise<JobRow | Failure<'gone'>> {
  await cancelJob(uow, job.id, { force });
  return again(uow, job, job.id);
}

export async function retry(
  uow: UnitOfWork,
  job: JobRow,
): Promise<JobRow | Failure<'gone' | 'forbidden' | 'notRetryable'>> {
  const id = await retryJob(uow, job, uow.actor.user?.id ?? null);
  return isFailure(id) ? id : again(uow, job, id);
}

/** `variables`: their values are encrypted. */
export async function play(
  uow: UnitOfWork,
  job: JobRow,
  variables: Parameters<typeof playJob>[2],
): Promise<JobRow | Failure<'gone' | 'forbidden' | 'unplayable'>> {
  const id = await playJob(uow, job, variables);
  return isFailure(id) ? id : again(uow, job, id);
}

async function again(tx: Transaction, { project_id }: JobRow, id: number): Promise<JobRow | Failure<'gone'>> {
  return (await findJob(tx, project_id, id)) ?? fail('gone');
}
