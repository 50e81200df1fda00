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

const KNOWN_REASONS: ReadonlySet<string> = new Set(FAILURE_REASONS);

/** Returns the failure reason that a runner sent, or `unknown_failure`. */
export function parseFailureReason(reason: string | null | undefined): FailureReason {
  return reason && KNOWN_REASONS.has(reason) ? (reason as FailureReason) : 'unknown_failure';
}
