import { isJsonObject } from '#text/json-object.ts';

/**
 * Nested names of query strings and forms (contract/conventions.md §3 "Encodings"), by Rack's rules:
 * `a[b]=1` is an object, `a[]=1` an array, `a[][x]=1` an array of objects in which a repeated key starts the next element.
 * The meaning of whole-number keys (`a[0][x]=1`) depends on the declared type, so they stay object keys here.
 */

/** Parameters before validation. An object without a prototype, so that no parameter name can reach it. */
export type RawParameters = Record<string, unknown>;

const MAX_DEPTH = 32;
/** The maximum length of a parameter name, in characters. */
export const MAX_NAME_LENGTH = 8192;

export function createEmptyParameters(): RawParameters {
  return Object.create(null) as RawParameters;
}

/** Returns a JSON object as parameters; an array or a scalar has none. Modifies the object, which may be large. */
export function toRawParameters(value: unknown): RawParameters {
  return isParameterObject(value) ? Object.setPrototypeOf(value, null) : createEmptyParameters();
}

/** Adds the query parameters to those of the body, which take precedence. Modifies the body, because it may be large. */
export function mergeParameters(query: RawParameters, body: RawParameters): RawParameters {
  for (const name in query) if (!(name in body)) body[name] = query[name];
  return body;
}

/** Adds one `name=value` pair. Names that are nested too deeply or too long are dropped like unknown parameters. */
export function assignParameter(target: RawParameters, name: string, value: unknown): void {
  if (name.length > MAX_NAME_LENGTH) return;
  const openIndex = name.indexOf('[', 1);
  const path = openIndex === -1 ? null : parseBrackets(name, openIndex);
  if (path === null) target[name] = value;
  else setNested(target, name.slice(0, openIndex), path, 0, value);
}

/** Parses the keys of `[a][][b]`, beginning at `openIndex`; returns null if they are malformed or too deep. */
function parseBrackets(name: string, openIndex: number): string[] | null {
  const keys: string[] = [];
  for (let position = openIndex; position < name.length; ) {
    const closeIndex = name.indexOf(']', position);
    if (keys.length === MAX_DEPTH || name[position] !== '[' || closeIndex === -1) return null;
    const key = name.slice(position + 1, closeIndex);
    if (key.includes('[')) return null;
    keys.push(key);
    position = closeIndex + 1;
  }
  return keys;
}

/** Sets a nested value. The remaining keys of the path begin at the index `depth`. */
function setNested(target: RawParameters, key: string, path: readonly string[], depth: number, value: unknown): void {
  const nextKey = path[depth];
  if (nextKey === undefined) {
    target[key] = value;
    return;
  }
  if (nextKey === '') {
    const list = Array.isArray(target[key]) ? (target[key] as unknown[]) : [];
    target[key] = list;
    appendNested(list, path, depth + 1, value);
    return;
  }
  const child = isParameterObject(target[key]) ? target[key] : createEmptyParameters();
  target[key] = child;
  setNested(child, nextKey, path, depth + 1, value);
}

/** Adds a value to an array: to its last element, or to a new one if that has a value at this path. */
function appendNested(list: unknown[], path: readonly string[], depth: number, value: unknown): void {
  const firstKey = path[depth];
  if (firstKey === undefined) {
    list.push(value);
    return;
  }
  const last = list.at(-1);
  // A path with a further `[]` always continues the last element.
  const isSameElement = isParameterObject(last) && (path.includes('', depth) || !hasValueAt(last, path, depth));
  const element = isSameElement ? last : createEmptyParameters();
  if (element !== last) list.push(element);
  setNested(element, firstKey, path, depth + 1, value);
}

/** Returns whether the element has a value at this path already, so that a new element must begin. */
function hasValueAt(element: RawParameters, path: readonly string[], depth: number): boolean {
  const child = element[path[depth] ?? ''];
  if (child === undefined) return false;
  return depth + 1 === path.length || !isParameterObject(child) || hasValueAt(child, path, depth + 1);
}

/** Returns whether a value is an object that is neither an array nor a file. */
export function isParameterObject(value: unknown): value is RawParameters {
  return isJsonObject(value) && !isFilePart(value);
}

/** An uploaded file. */
export interface FilePart {
  readonly filename: string;
  readonly bytes: Buffer;
}

export function isFilePart(value: unknown): value is FilePart {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}

/** Parses `a=1&b[]=2`. The text has passed stage 1: every escape is complete and valid UTF-8. */
export function parseForm(text: string, target: RawParameters = createEmptyParameters()): RawParameters {
  if (text === '') return target;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equalsIndex = pair.indexOf('=');
    const name = decodeFormText(equalsIndex === -1 ? pair : pair.slice(0, equalsIndex));
    assignParameter(target, name, equalsIndex === -1 ? '' : decodeFormText(pair.slice(equalsIndex + 1)));
  }
  return target;
}

function decodeFormText(text: string): string {
  const withSpaces = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return withSpaces.includes('%') ? decodeURIComponent(withSpaces) : withSpaces;
}

/** Formats parameters for pagination links: nested values get names with brackets again. */
export function formatForm(values: RawParameters): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(values)) appendPairs(pairs, name, value);
  return pairs.join('&');
}

function appendPairs(pairs: string[], name: string, value: unknown): void {
  if (value === undefined || value === null || isFilePart(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) appendPairs(pairs, `${name}[]`, item);
  } else if (isParameterObject(value)) {
    for (const [key, item] of Object.entries(value)) appendPairs(pairs, `${name}[${key}]`, item);
  } else {
    pairs.push(`${percentEncode(name)}=${percentEncode(String(value))}`);
  }
}

/** Percent-encodes a text. Replaces unpaired surrogates, which JSON can contain but a URL cannot. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
