import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import { recordRunnerContact } from '#authorization/job-authentication.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';
import { findJob, type JobRow } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AuthenticatedJob, requireRunning } from '#http/access/job-access.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { cancelJob, changeJobStatus, playJob, retryJob } from '../processing/index.ts';

interface JobReport {
  readonly state: 'running' | 'success' | 'failed';
  readonly failure_reason?: string | null | undefined;
  readonly exit_code?: number | null | undefined;
}

/**
 * Applies a runner's report that the job still runs or has ended (contract/runners.md §3.5). A job in `canceling` ends as
 * canceled, regardless of its result. Returns the current status; a job that has already ended keeps its status.
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

/** Failure reasons of jobs, as runners send and receive them (contract/runners.md "States"). */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'user_blocked',
  'project_deleted',
  'no_matching_runner',
  'trace_size_exceeded',
  'builds_disabled',
  'environment_creation_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
  'job_execution_server_timeout',
  'protected_environment_failure',
  'job_router_failure',
  'job_token_expired',
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Returns the failure reason that a runner sent, or `unknown_failure`. */
const parseFailureReason = (reason: string | null | undefined): FailureReason =>
  FAILURE_REASONS.find((knownReason) => knownReason === reason) ?? 'unknown_failure';

/** Cancels a job on request of a user, and returns it. */
export async function cancelAndReloadJob(
  uow: UnitOfWork,
  job: JobRow,
  force: boolean,
): Promise<JobRow | Failure<'notFound'>> {
  await cancelJob(uow, job.id, { force });
  return reloadJob(uow, job, job.id);
}

/** Retries a job as the acting user, and returns the new job that replaces it. */
export async function retryAndReloadJob(
  uow: UnitOfWork,
  job: JobRow,
): Promise<JobRow | Failure<'notFound' | 'forbidden' | 'notRetryable'>> {
  const id = await retryJob(uow, job, uow.actor.user?.id ?? null);
  return isFailure(id) ? id : reloadJob(uow, job, id);
}

/** Plays a job, and returns it or the new job that replaces it. The values of `variables` are encrypted already. */
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
