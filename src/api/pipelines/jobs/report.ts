import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import { recordRunnerContact } from '#authorization/job-authentication.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AuthenticatedJob, requireRunning } from '#http/access/job-access.ts';
import { changeJobStatus } from '../processing/index.ts';
import { parseFailureReason } from './failure-reasons.ts';

export interface JobReport {
  readonly state: 'running' | 'success' | 'failed';
  readonly failure_reason?: string | null | undefined;
  readonly exit_code?: number | null | undefined;
}

/**
 * Applies a runner's report that the job still runs or has ended (contract/runners.md §3.5). A job in `canceling` ends
 * as canceled, whatever its result. Returns the current status; a job that has already ended keeps its status.
 */
export async function applyJobReport(uow: UnitOfWork, job: AuthenticatedJob, report: JobReport): Promise<JobStatus> {
  await recordRunnerContact(uow, job);
  const { state, failure_reason, exit_code = null } = report;
  if (state === 'running') await recordHeartbeat(uow, job.id);
  else {
    const failure = state === 'failed' ? { failure_reason: parseFailureReason(failure_reason) } : {};
    const endedJob =
      (await changeJobStatus(uow, job.id, ['running'], state, { exit_code, ...failure })) ??
      (await changeJobStatus(uow, job.id, ['canceling'], 'canceled', { exit_code }));
    if (endedJob !== null) return endedJob.status;
  }
  const current = await findJobState(uow, job.id);
  requireRunning(current);
  return current.status;
}

/** Records that the runner still works on the job. */
async function recordHeartbeat(tx: Transaction, jobId: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ last_seen_at: tx.now })
    .where('id', '=', jobId)
    .where('status', 'in', RUNNING_JOB_STATUSES)
    .execute();
}

/** Returns the status of a job and when it was erased, or null if it was deleted. index: jobs primary key */
export async function findJobState(
  db: Reader,
  jobId: number,
): Promise<{ readonly status: JobStatus; readonly erased_at: string | null } | null> {
  const row = await db.selectFrom('jobs').select(['status', 'erased_at']).where('id', '=', jobId).executeTakeFirst();
  return row ?? null;
}
