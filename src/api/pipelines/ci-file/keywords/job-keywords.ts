import { CiFileError, type CiMap, type CiValue, isArray, isMap } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  checkRequiredKeys,
  configError,
  flattenArrays,
  isPresent,
  parseBoolean,
  parseIntegers,
  parseMap,
  parseOptional,
  parseRequiredString,
  parseWords,
  toBoolean,
  typeError,
} from './checks.ts';
import type { JobRetry } from './options.ts';

export const MAX_START_IN_SECONDS = 7 * 86_400;

/** The value of `allow_failure`: a boolean or a list of exit codes. */
export interface AllowFailure {
  readonly allowed: boolean;
  readonly exitCodes: readonly number[] | null;
}

/** Parses `allow_failure`. `location`: the location of the job. */
export function parseAllowFailure(value: CiValue, location: string): AllowFailure {
  const allowed = toBoolean(value);
  if (allowed !== null) return { allowed, exitCodes: null };
  const map = parseMap(value, location, 'allow failure should be a hash or a boolean value');
  checkKnownKeys(map, `${location}:allow_failure`, new Set(['exit_codes']));
  const codes = map.get('exit_codes');
  return {
    allowed: false,
    exitCodes: isPresent(codes) ? parseIntegers(codes, `${location}:allow_failure`, 'exit codes') : [],
  };
}

/** A needed job, by its name in the file. */
export interface CiJobNeed {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
  /** Which instances of a parallel job are needed; null: all. */
  readonly matrix: readonly MatrixCombination[] | null;
}

const NEED_KEYS = new Set(['job', 'artifacts', 'optional', 'parallel']);

/** Parses `needs` of a job or a rule. */
export function parseNeeds(value: CiValue, location: string): CiJobNeed[] {
  if (!isMap(value) && !isArray(value)) throw configError(location, 'config can only be a hash or an array');
  if (isMap(value) && value.size === 0) throw configError(location, 'config can not be an empty hash');
  const needs = (isMap(value) ? [value] : flattenArrays(value, Number.POSITIVE_INFINITY)!).filter(isPresent);
  if (needs.some((need) => isMap(need) && typeof need.get('parallel') === 'number'))
    throw configError(location, 'config cannot use "parallel: <number>".');
  return needs.map((need) => parseNeed(need, location));
}

function parseNeed(value: CiValue, needsLocation: string): CiJobNeed {
  const location = `${needsLocation}:need`;
  if (typeof value === 'string') {
    checkNotBlank(value, location);
    return { job: value, artifacts: true, optional: false, matrix: null };
  }
  if (!isMap(value)) throw typeError(location, 'has an unsupported type');
  if (!['job', 'project', 'ref'].some((key) => value.has(key)))
    throw configError(needsLocation, 'config uses invalid types: bridge');
  checkKnownKeys(value, location, NEED_KEYS);
  return {
    job: parseRequiredString(value.get('job'), location, 'job'),
    artifacts: parseOptional(value, 'artifacts', true, (each) => parseBoolean(each, location, 'artifacts')),
    optional: parseOptional(value, 'optional', false, (each) => parseBoolean(each, location, 'optional')),
    matrix: parseOptional(value, 'parallel', null, (each) => parseNeededInstances(each, `${location}:parallel`)),
  };
}

function parseNeededInstances(value: CiValue, location: string): MatrixCombination[] {
  if (!isMap(value)) throw typeError(location, 'should be an integer or a hash');
  return parseMatrix(value, location);
}

/** `parallel`: a number of instances, or the variables of each instance. */
export type Parallel = { readonly total: number } | { readonly matrix: readonly MatrixCombination[] };

/** The variables of one instance of a matrix job. */
export type MatrixCombination = readonly { readonly key: string; readonly value: string }[];

const MAX_PARALLEL = 200;

/** Parses `parallel`. */
export function parseParallel(value: CiValue, location: string): Parallel {
  if (isMap(value)) return { matrix: parseMatrix(value, location) };
  if (typeof value !== 'number') throw typeError(location, 'should be an integer or a hash');
  if (!Number.isInteger(value)) throw configError(location, 'config must be an integer');
  if (value < 1) throw configError(location, 'config must be greater than or equal to 1');
  if (value > MAX_PARALLEL) throw configError(location, `config must be less than or equal to ${MAX_PARALLEL}`);
  return { total: value };
}

/** Parses a matrix. Without any variant the job has no instances. */
function parseMatrix(map: CiMap, location: string): MatrixCombination[] {
  checkKnownKeys(map, location, new Set(['matrix']));
  checkRequiredKeys(map, location, ['matrix']);
  const at = `${location}:matrix`;
  const entries = map.get('matrix') ?? [];
  if (!isArray(entries) || !entries.every(isMap)) throw configError(at, 'config should be an array of hashes');
  const variants = entries.map((entry) => parseMatrixVariables(entry, `${at}:variables`));
  const count = variants.reduce((sum, variables) => sum + countCombinations(variables), 0);
  if (count > MAX_PARALLEL) throw configError(at, `config generates too many jobs (maximum is ${MAX_PARALLEL})`);
  return variants.flatMap(combine);
}

type MatrixVariables = readonly (readonly [key: string, values: readonly string[]])[];

function parseMatrixVariables(map: CiMap, location: string): MatrixVariables {
  const variables = [...map].map(([key, value]): [string, string[]] => {
    const values = isArray(value) ? value : [value];
    if (!values.every((each) => typeof each === 'string' || Number.isInteger(each)))
      throw configError(location, 'config should be a hash of key value pairs, value can be an array');
    return [key, values.map(String)];
  });
  if (variables.length === 0) throw configError(location, 'config requires at least 1 items');
  return variables;
}

function countCombinations(variables: MatrixVariables): number {
  return variables.reduce((count, [, values]) => count * values.length, 1);
}

function combine(variables: MatrixVariables): MatrixCombination[] {
  // An empty list of values makes the product zero; the number of intermediate combinations would not be limited.
  if (countCombinations(variables) === 0) return [];
  return variables.reduce<MatrixCombination[]>(
    (combinations, [key, values]) =>
      combinations.flatMap((combination) => values.map((value) => [...combination, { key, value }])),
    [[]],
  );
}

const RETRY_KEYS = new Set(['max', 'when', 'exit_codes']);
const MAX_RETRIES = 2;

/** Values of `retry: when`: `always`, and failure reasons, including those that jobs of this server never have. */
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
