import { parsePositiveSeconds } from '#text/durations.ts';
import { CiFileError, type CiMap, type CiValue, isArray, isMap, scalarToText } from '../yaml/values.ts';

/** Structure checks for CI files. Errors name the location and the problem, in lower case (§6). */

export function configError(location: string, problem: string): CiFileError {
  return new CiFileError(`${location} ${problem}`.toLowerCase());
}

/** Returns whether a value is present; null counts as absent. */
export function isPresent(value: CiValue | undefined): value is Exclude<CiValue, null> {
  return value !== undefined && value !== null;
}

export function checkKnownKeys(map: CiMap, location: string, knownKeys: ReadonlySet<string>): void {
  const unknownKeys = [...map.keys()].filter((key) => !knownKeys.has(key));
  if (unknownKeys.length > 0) throw configError(location, `config contains unknown keys: ${unknownKeys.join(', ')}`);
}

export function parseMap(value: CiValue, location: string, words = 'config should be a hash'): CiMap {
  if (!isMap(value)) throw configError(location, words);
  return value;
}

/** Flattens nested arrays up to ten levels; returns null for deeper ones. */
export function flattenArrays(value: CiValue, levels = 10): CiValue[] | null {
  if (!isArray(value)) return [value];
  if (levels === 0) return null;
  const all: CiValue[] = [];
  for (const element of value) {
    const nestedItems = flattenArrays(element, levels - 1);
    if (nestedItems === null) return null;
    for (const item of nestedItems) all.push(item);
  }
  return all;
}

/** Jobs that share a script by an anchor or `extends` share its commands, which are stored once. */
const sharedCommands = new WeakMap<object, string[]>();

/** Parses a command or nested arrays of commands. */
export function parseCommands(value: CiValue, location: string): string[] {
  const cachedCommands = isArray(value) ? sharedCommands.get(value) : undefined;
  if (cachedCommands !== undefined) return cachedCommands;
  const all = flattenArrays(value);
  if (all === null || !areStrings(all)) {
    throw configError(location, 'config should be a string or a nested array of strings up to 10 levels deep');
  }
  if (isArray(value)) sharedCommands.set(value, all);
  return all;
}

function areStrings(values: readonly CiValue[]): values is string[] {
  return values.every((each) => typeof each === 'string');
}

/** Parses an array of strings. `problem` is the error text, starting with the key: `paths should be an array of strings`. */
export function parseStrings(value: CiValue, location: string, problem: string): string[] {
  if (!isArray(value) || !areStrings(value)) throw configError(location, problem);
  return value;
}

/** Parses a string or an array of strings. */
export function parseStringOrStrings(value: CiValue, location: string, key: string): string[] {
  return typeof value === 'string'
    ? [value]
    : parseStrings(value, location, `${key} should be an array of strings or a string`);
}

/** Parses a string strictly: a number such as `1` is an error. */
export function parseStrictString(value: CiValue, location: string, key: string): string {
  if (typeof value !== 'string') throw configError(location, `${key} should be a string`);
  return value;
}

export function parseString(value: CiValue, location: string, key: string): string {
  const text = scalarToText(value);
  if (text === null) throw configError(location, `${key} should be a string`);
  return text;
}

/** YAML 1.1 words for booleans. */
const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['on', true],
  ['no', false],
  ['off', false],
]);

export function toBoolean(value: CiValue): boolean | null {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? (BOOLEAN_WORDS.get(value.toLowerCase()) ?? null) : null;
}

export function parseBoolean(value: CiValue, location: string, key: string): boolean {
  const boolean = toBoolean(value);
  if (boolean === null) throw configError(location, `${key} should be a boolean value`);
  return boolean;
}

export function parseOneOf<T extends string>(value: CiValue, location: string, key: string, allowed: readonly T[]): T {
  if (typeof value !== 'string') throw configError(location, `${key} should be a string`);
  if (!(allowed as readonly string[]).includes(value)) {
    throw configError(location, `${key} should be one of: ${allowed.join(', ')}`);
  }
  return value as T;
}

/** Parses a duration and returns seconds; `limit` is in seconds too. A number must be quoted. */
export function parseDurationKeyword(
  value: CiValue | undefined,
  location: string,
  key: string,
  limit?: number,
): number {
  const seconds = typeof value === 'string' ? parsePositiveSeconds(value) : null;
  if (seconds === null) throw configError(location, `${key} should be a duration`);
  if (limit !== undefined && seconds > limit) throw configError(location, `${key} should not exceed the limit`);
  return seconds;
}

/** Parses an integer or an array of integers. */
export function parseIntegers(value: CiValue, location: string, key: string): number[] {
  const all = isArray(value) ? value : [value];
  if (!all.every((each) => Number.isSafeInteger(each))) {
    throw configError(location, `${key} should be an array of integers or an integer`);
  }
  return all as number[];
}
