import { CiFileInvalid, type CiMap, type CiValue, isArray, isMap, textOf } from '../yaml/values.ts';
import { readDuration } from './durations.ts';

/** What the structure of a CI file must be. Whoever finds it otherwise says where and how, in lower case throughout (§6). */

export function wrong(where: string, how: string): CiFileInvalid {
  return new CiFileInvalid(`${where} ${how}`.toLowerCase());
}

/** A value that is absent and one that is null say the same. */
export function isGiven(value: CiValue | undefined): value is Exclude<CiValue, null> {
  return value !== undefined && value !== null;
}

export function knownKeys(map: CiMap, where: string, known: ReadonlySet<string>): void {
  const unknown = [...map.keys()].filter((key) => !known.has(key));
  if (unknown.length > 0) throw wrong(where, `config contains unknown keys: ${unknown.join(', ')}`);
}

export function mapAt(value: CiValue, where: string, words = 'config should be a hash'): CiMap {
  if (!isMap(value)) throw wrong(where, words);
  return value;
}

/** The elements of arrays in arrays, up to ten levels deep; null for what goes deeper. */
export function flattened(value: CiValue, levels = 10): CiValue[] | null {
  if (!isArray(value)) return [value];
  if (levels === 0) return null;
  const all: CiValue[] = [];
  for (const each of value) {
    const inside = flattened(each, levels - 1);
    if (inside === null) return null;
    for (const item of inside) all.push(item);
  }
  return all;
}

/** A command, or nested arrays of them. */
export function commandsAt(value: CiValue, where: string): string[] {
  const all = flattened(value);
  if (all === null || !areTexts(all)) {
    throw wrong(where, 'config should be a string or a nested array of strings up to 10 levels deep');
  }
  return all;
}

function areTexts(values: readonly CiValue[]): values is string[] {
  return values.every((each) => typeof each === 'string');
}

/** `how` begins with the name of the key, where the text says it: `paths should be an array of strings`. */
export function textsAt(value: CiValue, where: string, how: string): string[] {
  if (!isArray(value) || !areTexts(value)) throw wrong(where, how);
  return value;
}

/** One text, or an array of them. */
export function textsOrOneAt(value: CiValue, where: string, key: string): string[] {
  return typeof value === 'string'
    ? [value]
    : textsAt(value, where, `${key} should be an array of strings or a string`);
}

/** A text, and nothing that could be read as one: `1` is a number. */
export function onlyTextAt(value: CiValue, where: string, key: string): string {
  if (typeof value !== 'string') throw wrong(where, `${key} should be a string`);
  return value;
}

export function textAt(value: CiValue, where: string, key: string): string {
  const text = textOf(value);
  if (text === null) throw wrong(where, `${key} should be a string`);
  return text;
}

/** People write `yes` and `on` for true. */
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['on', true],
  ['no', false],
  ['off', false],
]);

export function booleanOf(value: CiValue): boolean | null {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? (WORDS.get(value.toLowerCase()) ?? null) : null;
}

export function booleanAt(value: CiValue, where: string, key: string): boolean {
  const read = booleanOf(value);
  if (read === null) throw wrong(where, `${key} should be a boolean value`);
  return read;
}

export function oneOfAt<T extends string>(value: CiValue, where: string, key: string, allowed: readonly T[]): T {
  if (typeof value !== 'string') throw wrong(where, `${key} should be a string`);
  if (!(allowed as readonly string[]).includes(value)) {
    throw wrong(where, `${key} should be one of: ${allowed.join(', ')}`);
  }
  return value as T;
}

/** Seconds. `limit` in seconds too. */
export function durationAt(value: CiValue | undefined, where: string, key: string, limit?: number): number {
  const text = textOf(value);
  const seconds = text === null ? null : readDuration(text);
  if (seconds === null) throw wrong(where, `${key} should be a duration`);
  if (limit !== undefined && seconds > limit) throw wrong(where, `${key} should not exceed the limit`);
  return seconds;
}

/** One integer, or an array of them. */
export function integersAt(value: CiValue, where: string, key: string): number[] {
  const all = isArray(value) ? value : [value];
  if (!all.every((each) => Number.isSafeInteger(each))) {
    throw wrong(where, `${key} should be an array of integers or an integer`);
  }
  return all as number[];
}
