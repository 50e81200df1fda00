import { HttpError } from '#http/errors/http-error.ts';
import { readBytes } from '#http/request/body.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { parseJson } from '#http/request/json-body.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';

/** Requests of the locking API of git-lfs. */

/** Maximum characters of a path, as in the reference implementation. */
const MAX_PATH_LENGTH = 511;

/** Maximum and default number of locks in one response. */
export const MAX_PAGE = 100;

export const createLfsError = (status: number, message: string, extraFields: object = {}) =>
  new HttpError(status, { ...extraFields, message }, { 'Content-Type': LFS_TYPE });

export const LFS_TYPE = 'application/vnd.git-lfs+json';

/** Reads the body as a JSON object; an empty body is an empty object. Throws 422 for other bodies. */
export async function readJsonObject(request: IncomingRequest): Promise<JsonObject> {
  const bytes = await readBytes(request);
  const value = bytes.length === 0 ? {} : await parseJson(bytes).catch(() => null);
  if (isJsonObject(value)) return value;
  throw createLfsError(422, 'The request is not valid');
}

/** Returns the path to lock. Throws 422 for a path that no file of a repository can have. */
export function readPath({ path }: JsonObject): string {
  if (typeof path === 'string' && isFilePath(path)) return path;
  throw createLfsError(422, 'The path is not valid');
}

function isFilePath(path: string): boolean {
  if (path === '' || path.length > MAX_PATH_LENGTH || path.includes('\0') || !path.isWellFormed()) return false;
  return !path.split('/').some((part) => part === '' || part === '.' || part === '..');
}

/** Returns the first id of a page and its length. An invalid cursor or limit counts as absent. */
export function readPage({ cursor, limit }: { readonly cursor?: unknown; readonly limit?: unknown }) {
  const length = parseId(limit);
  return {
    cursor: parseId(cursor) ?? 0,
    limit: length === null || length === 0 ? MAX_PAGE : Math.min(length, MAX_PAGE),
  };
}

/** Returns a non-negative integer, which may be a string of digits; null for anything else. */
export function parseId(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
