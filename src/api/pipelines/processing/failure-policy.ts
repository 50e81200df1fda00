import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  type ChangedJob,
  countRetriedAttempts,
  loadProcessingOptions,
  type ProcessingOptions,
  setAllowFailure,
} from './store.ts';

/** Applies `retry` and `allow_failure:exit_codes` of the CI file to failed jobs (contract/runners.md §6). */

/** Failure reasons for which another attempt would fail in the same way. */
const NON_RETRYABLE_REASONS: ReadonlySet<string> = new Set([
  'user_blocked',
  'builds_disabled',
  'project_deleted',
  'no_matching_runner',
  'missing_dependency_failure',
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
  'stale_schedule',
]);

/**
 * Returns whether this failed job is retried (`retry`) or not (`final`). Marks it as allowed to
 * fail if `allow_failure:exit_codes` contains its exit code.
 */
export async function applyFailurePolicy(uow: UnitOfWork, job: ChangedJob): Promise<'retry' | 'final'> {
  const options = (await loadProcessingOptions(uow, [job.id])).get(job.id) ?? {};
  const mayFail = job.exit_code !== null && options.allow_failure_exit_codes?.includes(job.exit_code) === true;
  if (mayFail) await setAllowFailure(uow, job.id);
  if (!shouldRetry(job, options.retry)) return 'final';
  const retriedCount = await countRetriedAttempts(uow, job.pipeline_id, job.name);
  return retriedCount < (options.retry?.max ?? 0) ? 'retry' : 'final';
}

function shouldRetry({ failure_reason, exit_code }: ChangedJob, retry: ProcessingOptions['retry']): boolean {
  if (!retry || retry.max < 1 || failure_reason === null || NON_RETRYABLE_REASONS.has(failure_reason)) return false;
  const { when, exit_codes } = retry;
  const isAlways = when.includes('always') || (when.length === 0 && exit_codes.length === 0);
  return isAlways || when.includes(failure_reason) || (exit_code !== null && exit_codes.includes(exit_code));
}
