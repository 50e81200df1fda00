import { type CiValue, isArray, isMap } from '../yaml/values.ts';
import { booleanAt, booleanOf, flattened, integersAt, isGiven, knownKeys, mapAt, wrong } from './checks.ts';

export const LONGEST_DELAY = 7 * 86_400;

/** `allow_failure`: always, never, or by the exit codes. */
export interface AllowFailure {
  readonly allowed: boolean;
  readonly exitCodes: readonly number[] | null;
}

export function allowFailureAt(value: CiValue, where: string): AllowFailure {
  const allowed = booleanOf(value);
  if (allowed !== null) return { allowed, exitCodes: null };
  const map = mapAt(value, where, 'allow failure should be a hash or a boolean value');
  knownKeys(map, `${where}:allow_failure`, new Set(['exit_codes']));
  const codes = map.get('exit_codes');
  return { allowed: false, exitCodes: isGiven(codes) ? integersAt(codes, `${where}:allow_failure`, 'exit codes') : [] };
}

/** A job that another one needs, by the name that the file gives it. */
export interface Need {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
}

const NEED_KEYS = new Set(['job', 'artifacts', 'optional']);

export function needsAt(value: CiValue, where: string): Need[] {
  const all = isMap(value) ? [value] : isArray(value) ? flattened(value) : null;
  if (all === null) throw wrong(where, 'config can only be a hash or an array');
  return all.map((each) => needAt(each, `${where}:need`));
}

function needAt(value: CiValue, where: string): Need {
  if (typeof value === 'string') return { job: value, artifacts: true, optional: false };
  const map = mapAt(value, where, 'config should be a hash or a string');
  knownKeys(map, where, NEED_KEYS);
  const [job, artifacts, optional] = ['job', 'artifacts', 'optional'].map((key) => map.get(key));
  if (typeof job !== 'string') throw wrong(where, 'job should be a string');
  return {
    job,
    artifacts: !isGiven(artifacts) || booleanAt(artifacts, where, 'artifacts'),
    optional: isGiven(optional) && booleanAt(optional, where, 'optional'),
  };
}

/** How a job is made several: a number, or the variables of each. */
export type Parallel = { readonly total: number } | { readonly matrix: readonly Combination[] };

export type Combination = readonly { readonly key: string; readonly value: string }[];

const MOST_PARALLEL = 200;

export function parallelAt(value: CiValue, where: string): Parallel {
  if (isMap(value)) return { matrix: matrixAt(value, where) };
  if (!Number.isInteger(value)) throw wrong(where, 'should be an integer or a hash');
  if ((value as number) < 1) throw wrong(where, 'config must be greater than or equal to 1');
  if ((value as number) > MOST_PARALLEL) throw wrong(where, `config must be less than or equal to ${MOST_PARALLEL}`);
  return { total: value as number };
}

function matrixAt(map: ReadonlyMap<string, CiValue>, where: string): Combination[] {
  knownKeys(map, where, new Set(['matrix']));
  const at = `${where}:matrix`;
  const entries = map.get('matrix') ?? null;
  if (!isArray(entries) || entries.length === 0) throw wrong(at, 'config should be an array of hashes');
  const all: Combination[] = [];
  for (const entry of entries) {
    let combinations: Combination[] = [[]];
    for (const [key, values] of mapAt(entry, at)) {
      const choices = (isArray(values) ? values : [values]).map((each) => choiceAt(each, at));
      if (combinations.length * choices.length > MOST_PARALLEL) throw tooMany(at);
      combinations = combinations.flatMap((before) => choices.map((choice) => [...before, { key, value: choice }]));
    }
    all.push(...combinations);
    if (all.length > MOST_PARALLEL) throw tooMany(at);
  }
  return all;
}

function choiceAt(value: CiValue, where: string): string {
  if (!isGiven(value) || typeof value === 'object') throw wrong(where, 'config should be an array of hashes');
  return String(value);
}

function tooMany(where: string) {
  return wrong(where, `config generates too many jobs (maximum is ${MOST_PARALLEL})`);
}
