import type { BusboyHeaders } from '@fastify/busboy';
import type { SignedInCaller } from '#authentication/caller.ts';
import { draftPath } from '#blobs/index.ts';
import type { Database } from '#database/database.ts';
import { HttpError, tooManyRequests } from '#http/errors/http-error.ts';
import { emptyRaw, isFilePart, joined, membersOf, parseForm, type Raw } from '#http/parameters/brackets.ts';
import { type Parameters, tooLongAmong } from '#http/parameters/declarations.ts';
import { hasBody, MEBIBYTE, mediaType, mediaTypeName } from '#http/request/body.ts';
import { parseFormBody } from '#http/request/form-body.ts';
import { type Incoming, single } from '#http/request/incoming.ts';
import { parseJson } from '#http/request/json-body.ts';
import { parseMultipart } from '#http/request/multipart.ts';
import type { Services } from '#http/services.ts';
import { applicationLimit } from '#rate-limits/application-limit.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { divertForm } from './large-body/form-parser.ts';
import { divertJson } from './large-body/json-parser.ts';
import { divertMultipart } from './large-body/multipart-parser.ts';
import { type BodyBounds, beginBody } from './large-body/read-body.ts';
import { openSpool, type Spool } from './large-body/spool-file.ts';

/**
 * The bodies of files and commits (contract/repository.md §1): read after the project is known, nothing coerced, with
 * texts of their own. Query parameters are read too, the body wins. What is large goes to disk on its way in, so that
 * a body costs little memory, whatever its size.
 */

interface LateBody extends AsyncDisposable {
  /** The parameters; texts that are long ones (`isLongText`) can be read until the body is disposed of. */
  readonly given: Raw | Failure<BodyFailure>;
}

export type BodyFailure = keyof typeof BODY_REFUSALS;

export const BODY_REFUSALS = {
  jsonInvalid: [400, { message: 'Invalid json', error: 'Invalid json' }],
  typeUnsupported: [400, '400 Bad request - Unsupported Content-Type: {type}'],
  tooLong: [400, '400 Bad request - {problem}'],
  filePart: [400, '400 Bad request - This endpoint does not support form encoded file uploads'],
} as const;

/** What of a call the reading of its body takes. */
export interface BodyCall {
  readonly request: Incoming;
  readonly caller: SignedInCaller;
}

/** `await using body = await lateBody(call, rooms, fields);`: a text or list that is longer than its field may be is refused. */
export async function lateBody(call: BodyCall, services: Services, fields: Parameters): Promise<LateBody> {
  const body = await readLate(call, services);
  const problem = isFailure(body.given) ? null : tooLongAmong(fields, body.given);
  if (problem === null) return body;
  await body[Symbol.asyncDispose]();
  return bodyOf(fail('tooLong', { problem }));
}

async function readLate({ request, caller }: BodyCall, { database, blobs }: Services): Promise<LateBody> {
  const query = parseForm(request.query);
  const type = mediaType(request);
  if (type === 'other') {
    return bodyOf(fail('typeUnsupported', { type: mediaTypeName(single(request.headers['content-type']) ?? '') }));
  }
  if (!hasBody(request)) return bodyOf(query);
  const body = await beginBody(request, await boundsFor(database, caller));
  if ('whole' in body) return bodyOf(withQuery(query, await smallParameters(body.whole, type, request)));
  const spool = await openSpool(await draftPath(blobs));
  try {
    return bodyOf(withQuery(query, await largeParameters(body.chunks, type, request, spool)), spool);
  } catch (error) {
    await spool.close();
    throw error;
  }
}

function bodyOf(given: LateBody['given'], spool?: Spool): LateBody {
  return { given, [Symbol.asyncDispose]: async () => spool?.close() };
}

function withQuery(query: Raw, body: LateBody['given']): LateBody['given'] {
  return isFailure(body) ? body : joined(query, body);
}

/** Bodies over 20 MiB: three in 30 seconds of one user. */
async function boundsFor(database: Database, caller: SignedInCaller): Promise<BodyBounds> {
  const { max_commit_request_bytes: limit } = await readSettings(database.reader);
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

async function smallParameters(bytes: Buffer, type: Type, { headers }: Incoming): Promise<LateBody['given']> {
  if (type === 'json') return jsonParameters(bytes);
  if (type === 'multipart') {
    const parts = await parseMultipart(bytes, headers as BusboyHeaders);
    return Object.values(parts).some(isFilePart) ? fail('filePart') : parts;
  }
  return parseFormBody(bytes);
}

/** Whatever is wrong with the body is said in one text. */
async function jsonParameters(bytes: Buffer): Promise<LateBody['given']> {
  if (bytes.length === 0) return emptyRaw();
  try {
    const value = await parseJson(bytes);
    if (value === undefined) return fail('jsonInvalid');
    return membersOf(value);
  } catch (error) {
    if (error instanceof HttpError) return fail('jsonInvalid');
    throw error;
  }
}

async function largeParameters(
  chunks: AsyncIterable<Buffer>,
  type: Type,
  { headers }: Incoming,
  spool: Spool,
): Promise<LateBody['given']> {
  if (type === 'json') return (await divertJson(chunks, spool)) ?? fail('jsonInvalid');
  if (type === 'multipart') return (await divertMultipart(chunks, headers as BusboyHeaders, spool)) ?? fail('filePart');
  return divertForm(chunks, spool);
}

/** A parameter as these families see it: JSON null counts as not given. */
export function textOf(given: Raw, name: string): string | undefined {
  const value = given[name];
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : typeof value === 'object' ? undefined : String(value);
}
