import { type CiValue, isArray, isMap } from '../yaml/values.ts';
import {
  checkKnownKeys,
  configError,
  flattenArrays,
  isPresent,
  parseBoolean,
  parseIntegers,
  parseMap,
  toBoolean,
} from './checks.ts';

export const MAX_DELAY_SECONDS = 7 * 86_400;

/** The value of `allow_failure`: a boolean or a list of exit codes. */
export interface AllowFailure {
  readonly allowed: boolean;
  readonly exitCodes: readonly number[] | null;
}

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
}

const NEED_KEYS = new Set(['job', 'artifacts', 'optional']);

export function parseNeeds(value: CiValue, location: string): CiJobNeed[] {
  const all = isMap(value) ? [value] : isArray(value) ? flattenArrays(value) : null;
  if (all === null) throw configError(location, 'config can only be a hash or an array');
  return all.map((each) => parseNeed(each, `${location}:need`));
}

function parseNeed(value: CiValue, location: string): CiJobNeed {
  if (typeof value === 'string') return { job: value, artifacts: true, optional: false };
  const map = parseMap(value, location, 'config should be a hash or a string');
  checkKnownKeys(map, location, NEED_KEYS);
  const [job, artifacts, optional] = ['job', 'artifacts', 'optional'].map((key) => map.get(key));
  if (typeof job !== 'string') throw configError(location, 'job should be a string');
  return {
    job,
    artifacts: !isPresent(artifacts) || parseBoolean(artifacts, location, 'artifacts'),
    optional: isPresent(optional) && parseBoolean(optional, location, 'optional'),
  };
}

/** `parallel`: a number of instances, or the variables of each instance. */
export type Parallel = { readonly total: number } | { readonly matrix: readonly MatrixCombination[] };

export type MatrixCombination = readonly { readonly key: string; readonly value: string }[];

const MAX_PARALLEL = 200;

export function parseParallel(value: CiValue, location: string): Parallel {
  if (isMap(value)) return { matrix: parseMatrix(value, location) };
  if (!Number.isInteger(value)) throw configError(location, 'should be an integer or a hash');
  if ((value as number) < 1) throw configError(location, 'config must be greater than or equal to 1');
  if ((value as number) > MAX_PARALLEL)
    throw configError(location, `config must be less than or equal to ${MAX_PARALLEL}`);
  return { total: value as number };
}

function parseMatrix(map: ReadonlyMap<string, CiValue>, location: string): MatrixCombination[] {
  checkKnownKeys(map, location, new Set(['matrix']));
  const at = `${location}:matrix`;
  const entries = map.get('matrix') ?? null;
  if (!isArray(entries) || entries.length === 0) throw configError(at, 'config should be an array of hashes');
  const all: MatrixCombination[] = [];
  for (const entry of entries) {
    let combinations: MatrixCombination[] = [[]];
    for (const [key, values] of parseMap(entry, at)) {
      const choices = (isArray(values) ? values : [values]).map((each) => parseMatrixValue(each, at));
      if (combinations.length * choices.length > MAX_PARALLEL) throw tooManyJobsError(at);
      combinations = combinations.flatMap((before) => choices.map((choice) => [...before, { key, value: choice }]));
    }
    all.push(...combinations);
    if (all.length > MAX_PARALLEL) throw tooManyJobsError(at);
  }
  return all;
}

function parseMatrixValue(value: CiValue, location: string): string {
  if (!isPresent(value) || typeof value === 'object')
    throw configError(location, 'config should be an array of hashes');
  return String(value);
}

function tooManyJobsError(location: string) {
  return configError(location, `config generates too many jobs (maximum is ${MAX_PARALLEL})`);
}
