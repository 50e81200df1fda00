import { CiFileError, type CiValue, isMap } from '../yaml/values.ts';
import { checkKnownKeys, configError, isPresent, parseIntegers, parseOptional, parseWords } from './checks.ts';
import type { JobRetry } from './options.ts';

const RETRY_KEYS = new Set(['max', 'when', 'exit_codes']);
const MAX_RETRIES = 2;

/** Failure reasons, also those that jobs here never have, and `always`. */
const RETRY_REASONS: ReadonlySet<string> = new Set([
  ...['always', 'unknown_failure', 'script_failure', 'api_failure', 'stuck_or_timeout_failure'],
  ...['runner_system_failure', 'missing_dependency_failure', 'runner_unsupported', 'stale_schedule'],
  ...['job_execution_timeout', 'archived_failure', 'unmet_prerequisites', 'scheduler_failure'],
  ...['data_integrity_failure', 'forward_deployment_failure', 'user_blocked', 'project_deleted'],
  ...['ci_quota_exceeded', 'pipeline_loop_detected', 'no_matching_runner', 'trace_size_exceeded', 'builds_disabled'],
  ...['environment_creation_failure', 'deployment_rejected', 'failed_outdated_deployment_job'],
  ...['job_execution_server_timeout', 'protected_environment_failure', 'insufficient_bridge_permissions'],
  ...['downstream_bridge_project_not_found', 'invalid_bridge_trigger', 'upstream_bridge_project_not_found'],
  ...['insufficient_upstream_permissions', 'bridge_pipeline_is_child_pipeline'],
  ...['downstream_pipeline_creation_failed', 'secrets_provider_not_found'],
  ...['reached_max_descendant_pipelines_depth', 'ip_restriction_failure', 'reached_max_pipeline_hierarchy_size'],
  ...['reached_downstream_pipeline_trigger_rate_limit', 'duo_workflow_not_allowed', 'job_router_failure'],
  'job_token_expired',
]);

/** Parses `retry`. Its error texts do not name the job. */
export function parseRetry(value: CiValue): JobRetry {
  if (typeof value === 'number' && Number.isInteger(value)) {
    return { max: parseRetryCount(value, 'config'), when: ['always'], exit_codes: [] };
  }
  if (!isMap(value)) throw new CiFileError('retry config has to be either an integer or a hash');
  checkKnownKeys(value, 'retry', RETRY_KEYS);
  const max = parseOptional(value, 'max', 0, (each) => parseRetryCount(each, 'max'));
  const when = parseOptional(value, 'when', null, (each) => parseWords(each, 'retry', 'when', RETRY_REASONS));
  const codes = value.get('exit_codes');
  return {
    max,
    // If only exit codes are set, only they count.
    when: when ?? (isPresent(codes) ? [] : ['always']),
    exit_codes: isPresent(codes) ? parseIntegers(codes, 'retry', 'exit codes') : [],
  };
}

/** Parses a number of retries, which may be quoted. */
function parseRetryCount(value: CiValue, label: string): number {
  const count = typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number') throw configError('retry', `${label} is not a number`);
  if (!Number.isInteger(count)) throw configError('retry', `${label} must be an integer`);
  if (count > MAX_RETRIES) throw configError('retry', `${label} must be less than or equal to ${MAX_RETRIES}`);
  if (count < 0) throw configError('retry', `${label} must be greater than or equal to 0`);
  return count;
}
