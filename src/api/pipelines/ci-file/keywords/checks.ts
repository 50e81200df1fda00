import { parsePositiveSeconds } from '#text/durations.ts';
import { CiFileError, type CiMap, type CiValue, isArray, isMap, scalarToText, toErrorText } from '../yaml/values.ts';

// Structure checks for CI files (contract/runners.md §6). `location` is the path of keys in the file, such as `jobs:unit:image`; errors
// begin with it. `key` names the checked value in the error.

/** Returns the error for a problem at this location, in lower case. */
export function configError(location: string, problem: string): CiFileError {
  return new CiFileError(`${location} ${problem}`.toLowerCase());
}

/** Returns the error for a value with a wrong type. Unlike `configError`, it keeps the case of names. */
export function typeError(location: string, problem: string): CiFileError {
  return new CiFileError(`${location} ${problem}`);
}

/** Values of the keyword `when` of caches and artifacts: the results of a job after which they are uploaded. */
export const WHEN_FINISHED = ['on_success', 'on_failure', 'always'] as const;

/** Returns whether a value is present; null counts as absent. */
export function isPresent(value: CiValue | undefined): value is Exclude<CiValue, null> {
  return value !== undefined && value !== null;
}

/** Returns whether a value is null, false, a blank text, or empty. */
export function isBlank(value: CiValue | undefined): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'string') return value.trim() === '';
  return isArray(value) ? value.length === 0 : isMap(value) && value.size === 0;
}

/** Throws if the map has other keys. */
export function checkKnownKeys(map: CiMap, location: string, knownKeys: ReadonlySet<string>): void {
  const unknownKeys = [...map.keys()].filter((key) => !knownKeys.has(key));
  if (unknownKeys.length > 0) throw configError(location, `config contains unknown keys: ${unknownKeys.join(', ')}`);
}

/** Throws if the map lacks one of the keys. */
export function checkRequiredKeys(map: CiMap, location: string, requiredKeys: readonly string[]): void {
  const missingKeys = requiredKeys.filter((key) => !map.has(key));
  if (missingKeys.length > 0) throw configError(location, `config missing required keys: ${missingKeys.join(', ')}`);
}

/** Throws if the map has more than one of the keys. */
export function checkExclusiveKeys(map: CiMap, location: string, exclusiveKeys: readonly string[]): void {
  const presentKeys = [...map.keys()].filter((key) => exclusiveKeys.includes(key));
  if (presentKeys.length > 1)
    throw configError(location, `config these keys cannot be used together: ${presentKeys.join(', ')}`);
}

/** Throws unless the map has exactly one of the keys. */
export function checkOneOfKeys(map: CiMap, location: string, keys: readonly string[]): void {
  if (keys.filter((key) => map.has(key)).length !== 1)
    throw configError(location, `config must use exactly one of these keys: ${keys.join(', ')}`);
}

/** Throws if the value is blank (`isBlank`). */
export function checkNotBlank(value: CiValue | undefined, location: string, key = 'config'): void {
  if (isBlank(value)) throw configError(location, `${key} can't be blank`);
}

/** Parses a map. `words`: the text of the error if the value is not a map. */
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

export function isStringArray(value: CiValue): value is readonly string[] {
  return isArray(value) && areStrings(value);
}

/** Parses an array of strings. `key` is `config` if the location names the key. */
export function parseStrings(value: CiValue, location: string, key = 'config'): string[] {
  if (!isStringArray(value)) throw configError(location, `${key} should be an array of strings`);
  return value as string[];
}

/** Parses a string or an array of strings. */
export function parseStringOrStrings(value: CiValue, location: string, key: string): string[] {
  if (typeof value === 'string') return [value];
  if (!isStringArray(value)) throw configError(location, `${key} should be an array of strings or a string`);
  return value as string[];
}

/** Parses a string; a plain number such as `1` is an error. */
export function parseString(value: CiValue, location: string, key: string): string {
  if (typeof value !== 'string') throw configError(location, `${key} should be a string`);
  return value;
}

/** Parses a string that is not blank. */
export function parseRequiredString(value: CiValue | undefined, location: string, key: string): string {
  const text = parseString(value ?? null, location, key);
  checkNotBlank(text, location, key);
  return text;
}

/** YAML 1.1 words for booleans. */
const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['on', true],
  ['no', false],
  ['off', false],
]);

/** Returns the boolean for a boolean or a word such as `yes`; null for other values. */
export function toBoolean(value: CiValue): boolean | null {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? (BOOLEAN_WORDS.get(value.toLowerCase()) ?? null) : null;
}

/** Parses a boolean or its word. */
export function parseBoolean(value: CiValue, location: string, key: string): boolean {
  const boolean = toBoolean(value);
  if (boolean === null) throw configError(location, `${key} should be a boolean value`);
  return boolean;
}

/** Parses one of the allowed texts. `problem`: the text of the error for other texts. */
export function parseOneOf<T extends string>(
  value: CiValue,
  location: string,
  key: string,
  allowed: readonly T[],
  problem = `should be one of: ${allowed.join(', ')}`,
): T {
  const text = parseString(value, location, key);
  if (!(allowed as readonly string[]).includes(text)) throw configError(location, `${key} ${problem}`);
  return text as T;
}

/** Parses one of the words or an array of them. */
export function parseWords(value: CiValue, location: string, key: string, allowed: ReadonlySet<string>): string[] {
  const words = parseStringOrStrings(value, location, key);
  const unknownWords = words.filter((word) => !allowed.has(word));
  if (unknownWords.length === 0) return words;
  throw configError(
    location,
    isArray(value)
      ? `${key} contains unknown values: ${unknownWords.join(', ')}`
      : `${key} is not included in the list`,
  );
}

/** Throws if the value, converted to a text, is not one of the words. */
export function checkWord(value: CiValue, location: string, key: string, allowed: ReadonlySet<string>): void {
  const text = scalarToText(value);
  if (text === null || !allowed.has(text)) throw configError(location, `${key} unknown value: ${toErrorText(value)}`);
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

/** Parses a duration or `never`, and returns the text. */
export function parseExpiry(value: CiValue, location: string, key: string): string {
  if (typeof value === 'string' && value.toLowerCase() === 'never') return value;
  parseDurationKeyword(value, location, key);
  return value as string;
}

/** Parses an integer or an array of integers. */
export function parseIntegers(value: CiValue, location: string, key: string): number[] {
  const all = isArray(value) ? value : [value];
  if (!all.every((each) => Number.isSafeInteger(each))) {
    throw configError(location, `${key} should be an array of integers or an integer`);
  }
  return all as number[];
}

/** Reads the value of a key with `parse`, or returns the fallback if it is absent. */
export function parseOptional<T, F>(
  map: CiMap,
  key: string,
  fallback: F,
  parse: (value: Exclude<CiValue, null>) => T,
): T | F {
  const value = map.get(key);
  return isPresent(value) ? parse(value) : fallback;
}
