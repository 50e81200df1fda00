import { isUtf8 } from 'node:buffer';
import type { BusboyHeaders } from '@fastify/busboy';
import { type BlobStore, draftPath } from '../../../blobs/index.ts';
import type { Database, Reader } from '../../../database/database.ts';
import { badRequestText, tooManyRequests } from '../../../http/endpoint/refusal.ts';
import { type BodyBounds, beginBody } from '../../../http/large-body/begin.ts';
import { divertForm } from '../../../http/large-body/form.ts';
import { divertJson } from '../../../http/large-body/json.ts';
import { divertMultipart } from '../../../http/large-body/multipart.ts';
import { openSpool, type Spool } from '../../../http/large-body/spool.ts';
import { isRaw, parseForm, type Raw } from '../../../http/parameters/brackets.ts';
import { hasBody, isFilePart, MEBIBYTE, mediaType, mediaTypeName, parseMultipart } from '../../../http/serving/body.ts';
import { type Incoming, isClean, single } from '../../../http/serving/incoming.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { applicationLimit } from '../../../limits/application-limit.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';

/**
 * The bodies of files and commits (contract/repository.md §1): read after the project is known, nothing coerced, with
 * texts of their own. Query parameters are read too, the body wins. What is large goes to disk on its way in, so that
 * a body costs little memory, whatever its size.
 */

export type BodyRefusal = 'jsonInvalid' | 'typeUnsupported' | 'filePart';

export const BODY_REFUSALS = {
  jsonInvalid: [400, { message: 'Invalid json', error: 'Invalid json' }],
  typeUnsupported: [400, '400 Bad request - Unsupported Content-Type: {type}'],
  filePart: [400, '400 Bad request - This endpoint does not support form encoded file uploads'],
} as const;

export interface BodyCall {
  readonly database: Database;
  readonly db: Reader;
  readonly blobs: BlobStore;
  readonly caller: SignedIn;
  readonly request: Incoming;
}

/** Hands the parameters to `work`; texts that are long ones (`isLongText`) can be read until it ends. */
export async function withLateBody<Result>(
  call: BodyCall,
  work: (given: Raw) => Promise<Result>,
): Promise<Result | Refused<BodyRefusal>> {
  const { request, blobs } = call;
  const given = parseForm(request.query);
  const type = mediaType(request);
  if (type === 'other') {
    return refused('typeUnsupported', { type: mediaTypeName(single(request.headers['content-type']) ?? '') });
  }
  if (!hasBody(request)) return work(given);
  const body = await beginBody(request, await boundsFor(call));
  if ('whole' in body) return withParameters(given, await smallParameters(body.whole, type, request), work);
  const spool = await openSpool(await draftPath(blobs));
  try {
    return await withParameters(given, await largeParameters(body.chunks, type, request, spool), work);
  } finally {
    await spool.close();
  }
}

async function withParameters<Result>(
  given: Raw,
  body: Raw | Refused<BodyRefusal>,
  work: (given: Raw) => Promise<Result>,
) {
  return isRefused(body) ? body : work(Object.assign(given, body));
}

/** Bodies over 20 MiB: three in 30 seconds of one user. */
async function boundsFor({ database, db, caller }: BodyCall): Promise<BodyBounds> {
  const { max_commit_request_bytes: limit } = await readSettings(db);
  const large = { name: 'large_commit', subject: caller.user.id, limit: 3, periodSeconds: 30 };
  return {
    limit,
    large: 20 * MEBIBYTE,
    async onLarge() {
      if ((await applicationLimit(database, large)) !== null) throw tooManyRequests(large.periodSeconds);
    },
  };
}

type Type = Exclude<ReturnType<typeof mediaType>, 'other'>;

async function smallParameters(bytes: Buffer, type: Type, { headers }: Incoming): Promise<Raw | Refused<BodyRefusal>> {
  if (type === 'json') return jsonParameters(bytes);
  if (type === 'multipart') {
    const parts = await parseMultipart(bytes, headers as BusboyHeaders, bytes.length);
    return Object.values(parts).some(isFilePart) ? refused('filePart') : parts;
  }
  const text = bytes.toString('latin1');
  if (!isClean(text)) throw badRequestText();
  return parseForm(bytes.toString('utf8'));
}

function jsonParameters(bytes: Buffer): Raw | Refused<BodyRefusal> {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) return refused('jsonInvalid');
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRaw(value) ? value : {};
  } catch {
    return refused('jsonInvalid');
  }
}

async function largeParameters(
  chunks: AsyncIterable<Buffer>,
  type: Type,
  { headers }: Incoming,
  spool: Spool,
): Promise<Raw | Refused<BodyRefusal>> {
  if (type === 'json') return (await divertJson(chunks, spool)) ?? refused('jsonInvalid');
  if (type === 'multipart')
    return (await divertMultipart(chunks, headers as BusboyHeaders, spool)) ?? refused('filePart');
  const given = await divertForm(chunks, spool);
  if (given === null) throw badRequestText();
  return given;
}

/** A parameter as these families see it: JSON null counts as not given. */
export function textOf(given: Raw, name: string): string | undefined {
  const value = given[name];
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : typeof value === 'object' ? undefined : String(value);
}
