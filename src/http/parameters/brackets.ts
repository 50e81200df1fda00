import { isObject } from '#text/json-object.ts';

/**
 * Nested names of query strings and forms (contract/conventions.md §3 "Encodings"), by Rack's rules:
 * `a[b]=1` hash, `a[]=1` array, `a[][x]=1` array of hashes in which a key that repeats starts the next element.
 * What whole-number keys mean (`a[0][x]=1`) depends on the declared type, so they stay hash keys here.
 */

/** An object without a prototype, so that no name a client sends can reach one. */
export type Raw = Record<string, unknown>;

const MAX_DEPTH = 32;
/** No parameter has a longer name, in characters. */
export const LONGEST_NAME = 8192;

export function emptyRaw(): Raw {
  return Object.create(null) as Raw;
}

/** A JSON object as a set of parameters; an array or a scalar counts as none. Not copied: it may have fifty thousand members. */
export function membersOf(value: unknown): Raw {
  return isRaw(value) ? Object.setPrototypeOf(value, null) : emptyRaw();
}

/** One set of both; the body wins, and is not copied, because it may be large. */
export function joined(query: Raw, body: Raw): Raw {
  for (const name in query) if (!(name in body)) body[name] = query[name];
  return body;
}

/** Puts one `name=value` pair into the set. Names nested too deeply, or too long, are dropped like unknown parameters. */
export function assign(target: Raw, name: string, value: unknown): void {
  if (name.length > LONGEST_NAME) return;
  const open = name.indexOf('[', 1);
  const path = open === -1 ? null : bracketsOf(name, open);
  if (path === null) target[name] = value;
  else put(target, name.slice(0, open), path, 0, value);
}

/** The keys of `[a][][b]`, from where they begin; null for what is no such thing or too deep, which is known at once. */
function bracketsOf(name: string, open: number): string[] | null {
  const keys: string[] = [];
  for (let at = open; at < name.length; ) {
    const close = name.indexOf(']', at);
    if (keys.length === MAX_DEPTH || name[at] !== '[' || close === -1) return null;
    const key = name.slice(at + 1, close);
    if (key.includes('[')) return null;
    keys.push(key);
    at = close + 1;
  }
  return keys;
}

/** What is left of the path begins at `at`. */
function put(target: Raw, key: string, path: readonly string[], at: number, value: unknown): void {
  const next = path[at];
  if (next === undefined) {
    target[key] = value;
    return;
  }
  if (next === '') {
    const list = Array.isArray(target[key]) ? (target[key] as unknown[]) : [];
    target[key] = list;
    append(list, path, at + 1, value);
    return;
  }
  const inner = isRaw(target[key]) ? target[key] : emptyRaw();
  target[key] = inner;
  put(inner, next, path, at + 1, value);
}

function append(list: unknown[], path: readonly string[], at: number, value: unknown): void {
  const first = path[at];
  if (first === undefined) {
    list.push(value);
    return;
  }
  const last = list.at(-1);
  const fits = isRaw(last) && (path.includes('', at) || !holds(last, path, at));
  const element = fits ? last : emptyRaw();
  if (element !== last) list.push(element);
  put(element, first, path, at + 1, value);
}

/** Does the element already have a value under this path, so that a new element has to begin? */
function holds(element: Raw, path: readonly string[], at: number): boolean {
  const inner = element[path[at] ?? ''];
  if (inner === undefined) return false;
  return at + 1 === path.length || !isRaw(inner) || holds(inner, path, at + 1);
}

/** A hash of parameters: an object that is neither an array nor a file. */
export function isRaw(value: unknown): value is Raw {
  return isObject(value) && !isFilePart(value);
}

/** An uploaded part that carries a file name; families that take none refuse it. */
export interface FilePart {
  readonly filename: string;
  readonly bytes: Buffer;
}

export function isFilePart(value: unknown): value is FilePart {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}

/** Reads `a=1&b[]=2`. The text has passed stage 1: every escape is whole and UTF-8. */
export function parseForm(text: string, into: Raw = emptyRaw()): Raw {
  if (text === '') return into;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    assign(into, name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return into;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}

/** The reverse, for the links of pagination: nested values become bracket names again. */
export function formatForm(values: Raw): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(values)) format(pairs, name, value);
  return pairs.join('&');
}

function format(pairs: string[], name: string, value: unknown): void {
  if (value === undefined || value === null || isFilePart(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) format(pairs, `${name}[]`, item);
  } else if (isRaw(value)) {
    for (const [key, item] of Object.entries(value)) format(pairs, `${name}[${key}]`, item);
  } else {
    pairs.push(`${percentEncoded(name)}=${percentEncoded(String(value))}`);
  }
}

/** Half a surrogate pair, which JSON can carry, has no bytes in a URL. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
