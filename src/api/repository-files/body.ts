import { hasBody, isFilePart, mediaType, mediaTypeName, parseMultipart, readBytes } from '../../http/body.ts';
import { type Incoming, single } from '../../http/incoming.ts';
import { isRaw, parseForm, type Raw } from '../../http/parameters/brackets.ts';
import { HttpRefusal } from '../../http/refusal.ts';
import { type Refused, refused } from '../../refused.ts';

/**
 * The bodies of files and commits (contract/repository.md §1): read after the project is known, nothing coerced, with
 * texts of their own. Query parameters are read too, the body wins.
 */

export type BodyRefusal = 'jsonInvalid' | 'typeUnsupported' | 'filePart';

export const BODY_REFUSALS = {
  jsonInvalid: [400, { message: 'Invalid json', error: 'Invalid json' }],
  typeUnsupported: [400, '400 Bad request - Unsupported Content-Type: {type}'],
  filePart: [400, '400 Bad request - This endpoint does not support form encoded file uploads'],
} as const;

export async function readLateBody(request: Incoming, limit: number): Promise<Raw | Refused<BodyRefusal>> {
  const given = parseForm(request.query);
  const type = mediaType(request);
  if (type === 'other') {
    return refused('typeUnsupported', { type: mediaTypeName(single(request.headers['content-type']) ?? '') });
  }
  if (!hasBody(request)) return given;
  const bytes = await readBytes(request, limit);
  if (type === 'json') return withJson(given, bytes);
  if (type === 'multipart') {
    const parts = await parseMultipart(bytes, request.headers as { 'content-type': string }, limit);
    return Object.values(parts).some(isFilePart) ? refused('filePart') : Object.assign(given, parts);
  }
  return Object.assign(given, parseBytes(bytes));
}

function withJson(given: Raw, bytes: Buffer): Raw | Refused<BodyRefusal> {
  if (bytes.length === 0) return given;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRaw(value) ? Object.assign(given, value) : given;
  } catch {
    return refused('jsonInvalid');
  }
}

function parseBytes(bytes: Buffer): Raw {
  try {
    return parseForm(bytes.toString('utf8'));
  } catch {
    throw new HttpRefusal(400, 'Bad Request');
  }
}

/** A parameter as these families see it: JSON null counts as not given. */
export function textOf(given: Raw, name: string): string | undefined {
  const value = given[name];
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : typeof value === 'object' ? undefined : String(value);
}
