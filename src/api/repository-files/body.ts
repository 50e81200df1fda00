import { hasBody, isFilePart, mediaType, mediaTypeName, parseMultipart, readBytes, watched } from '../../http/body.ts';
import { type Incoming, single } from '../../http/incoming.ts';
import { isRaw, parseForm, type Raw } from '../../http/parameters/brackets.ts';
import { bodyTooLarge, HttpRefusal } from '../../http/refusal.ts';
import { createSpills, type Spills } from '../../http/spilled-text.ts';
import { parseSpillingJson } from '../../http/spilling-json.ts';
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

/** The long texts of one request are there until the work is done. */
export async function withSpills<Result>(dataDir: string, work: (spills: Spills) => Promise<Result>): Promise<Result> {
  const spills = createSpills(dataDir);
  try {
    return await work(spills);
  } finally {
    await spills.dispose();
  }
}

export interface BodyReading {
  readonly spills: Spills;
  /** Bytes; more is 413. */
  readonly limit: number;
}

/** JSON of any size costs little memory: contents that are long come as SpilledText. */
export async function readLateBody(
  request: Incoming,
  { spills, limit }: BodyReading,
): Promise<Raw | Refused<BodyRefusal>> {
  const given = parseForm(request.query);
  const type = mediaType(request);
  if (type === 'other') {
    return refused('typeUnsupported', { type: mediaTypeName(single(request.headers['content-type']) ?? '') });
  }
  if (!hasBody(request)) return given;
  if (type === 'json') return withJson(given, request, { spills, limit });
  const bytes = await readBytes(request, limit);
  if (type === 'multipart') {
    const parts = await parseMultipart(bytes, request.headers as { 'content-type': string }, limit);
    return Object.values(parts).some(isFilePart) ? refused('filePart') : Object.assign(given, parts);
  }
  return Object.assign(given, parseBytes(bytes));
}

async function withJson(
  given: Raw,
  request: Incoming,
  { spills, limit }: BodyReading,
): Promise<Raw | Refused<BodyRefusal>> {
  const counted = countedBody(request, limit);
  try {
    const value = await parseSpillingJson(counted.chunks, spills);
    return isRaw(value) ? Object.assign(given, value) : given;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return counted.size() === 0 ? given : refused('jsonInvalid');
  }
}

function countedBody(request: Incoming, limit: number): { chunks: AsyncIterable<Buffer>; size: () => number } {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw bodyTooLarge();
  let size = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of watched(request)) {
      size += chunk.length;
      if (size > limit) throw bodyTooLarge();
      yield chunk;
    }
  }
  return { chunks: counted(), size: () => size };
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
