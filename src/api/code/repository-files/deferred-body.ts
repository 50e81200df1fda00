import type { BusboyHeaders } from '@fastify/busboy';
import type { SignedInCaller } from '#authentication/caller.ts';
import { createDraftPath } from '#blobs/store.ts';
import type { Database } from '#database/database.ts';
import { bodyTooLarge, HttpError, tooManyRequests } from '#http/errors/http-error.ts';
import {
  createEmptyParameters,
  isFilePart,
  mergeParameters,
  parseForm,
  type RawParameters,
  toRawParameters,
} from '#http/parameters/brackets.ts';
import { findLengthError, type Parameters } from '#http/parameters/declarations.ts';
import { concatBody, getMediaType, hasBody, MEBIBYTE, parseMediaTypeName, readChunks } from '#http/request/body.ts';
import { createBodyBuffer, releaseBodyMemory, reserveBodyMemory } from '#http/request/body-memory.ts';
import { parseFormBody } from '#http/request/form-body.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { parseJson } from '#http/request/json-body.ts';
import { parseMultipart } from '#http/request/multipart.ts';
import type { Services } from '#http/services.ts';
import { checkApplicationLimit } from '#rate-limits/application-limit.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { parseLargeForm } from './large-body/form-parser.ts';
import { parseLargeJson } from './large-body/json-parser.ts';
import { parseLargeMultipart } from './large-body/multipart-parser.ts';
import { openSpoolFile, type SpoolFile } from './large-body/spooled-text.ts';

/**
 * The body of a file or commit endpoint, which is read after the project is loaded (contract/repository.md §1). Values are not
 * coerced, and error texts differ from other endpoints. Query parameters are read too, but the body takes precedence. Large contents
 * are written to disk, so that a body of any size uses little memory.
 */
interface DeferredBody extends AsyncDisposable {
  /** The parameters. Spooled texts (`isSpooledText`) can be read until the body is disposed of. */
  readonly parameters: RawParameters | Failure<BodyFailure>;
}

export type BodyFailure = keyof typeof BODY_ERRORS;

/** Errors of a body that cannot be read. */
export const BODY_ERRORS = {
  jsonInvalid: [400, { message: 'Invalid json', error: 'Invalid json' }],
  typeUnsupported: [400, '400 Bad request - Unsupported Content-Type: {type}'],
  tooLong: [400, '400 Bad request - {problem}'],
  filePart: [400, '400 Bad request - This endpoint does not support form encoded file uploads'],
} as const;

/** The parts of a request that are needed to read its body. */
export interface BodyCall {
  readonly request: IncomingRequest;
  readonly caller: SignedInCaller;
}

/**
 * Reads the body. Texts and lists above their field's limit are rejected. Usage:
 * `await using body = await readDeferredBody(call, services, fields);`.
 */
export async function readDeferredBody(
  call: BodyCall,
  services: Pick<Services, 'database' | 'blobs'>,
  fields: Parameters,
): Promise<DeferredBody> {
  const body = await readUncheckedBody(call, services);
  const problem = isFailure(body.parameters) ? null : findLengthError(fields, body.parameters);
  if (problem === null) return body;
  await body[Symbol.asyncDispose]();
  return toDeferredBody(fail('tooLong', { problem }));
}

/** Reads and parses the body, without checking the lengths of its texts. */
async function readUncheckedBody(
  { request, caller }: BodyCall,
  { database, blobs }: Pick<Services, 'database' | 'blobs'>,
): Promise<DeferredBody> {
  const query = parseForm(request.query);
  const type = getMediaType(request);
  if (type === 'other') {
    return toDeferredBody(
      fail('typeUnsupported', { type: parseMediaTypeName(firstHeader(request.headers['content-type']) ?? '') }),
    );
  }
  if (!hasBody(request)) return toDeferredBody(query);
  const body = await startReadingBody(request, await loadBodyLimits(database, caller));
  if ('buffer' in body) return toDeferredBody(mergeWithQuery(query, await parseSmallBody(body.buffer, type, request)));
  const spool = await openSpoolFile(await createDraftPath(blobs));
  try {
    return toDeferredBody(mergeWithQuery(query, await parseLargeBody(body.chunks, type, request, spool)), spool);
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/** Returns parameters as a body. Disposing of it closes the spool file. */
function toDeferredBody(parameters: DeferredBody['parameters'], spool?: SpoolFile): DeferredBody {
  return { parameters, [Symbol.asyncDispose]: async () => spool?.close() };
}

function mergeWithQuery(query: RawParameters, body: DeferredBody['parameters']): DeferredBody['parameters'] {
  return isFailure(body) ? body : mergeParameters(query, body);
}

/** Loads the size limits of bodies. Each user may send three bodies over 20 MiB in 30 seconds. */
async function loadBodyLimits(database: Database, caller: SignedInCaller): Promise<BodyLimits> {
  const { max_commit_request_bytes: limit } = await loadSettings(database.reader);
  const largeBodyLimit = { name: 'large_commit', subject: caller.user.id, limit: 3, periodSeconds: 30 };
  return {
    maxBytes: limit,
    largeThresholdBytes: 20 * MEBIBYTE,
    async onLarge() {
      if ((await checkApplicationLimit(database, largeBodyLimit)) !== null)
        throw tooManyRequests(largeBodyLimit.periodSeconds);
    },
  };
}

type BodyType = Exclude<ReturnType<typeof getMediaType>, 'other'>;

async function parseSmallBody(
  bytes: Buffer,
  type: BodyType,
  { headers }: IncomingRequest,
): Promise<DeferredBody['parameters']> {
  if (type === 'json') return parseJsonBody(bytes);
  if (type === 'multipart') {
    const parts = await parseMultipart(bytes, headers as BusboyHeaders);
    return Object.values(parts).some(isFilePart) ? fail('filePart') : parts;
  }
  return parseFormBody(bytes);
}

/** Parses a JSON body. Fails with `jsonInvalid` for every kind of error. */
async function parseJsonBody(bytes: Buffer): Promise<DeferredBody['parameters']> {
  if (bytes.length === 0) return createEmptyParameters();
  try {
    const value = await parseJson(bytes);
    if (value === undefined) return fail('jsonInvalid');
    return toRawParameters(value);
  } catch (error) {
    if (error instanceof HttpError) return fail('jsonInvalid');
    throw error;
  }
}

async function parseLargeBody(
  chunks: AsyncIterable<Buffer>,
  type: BodyType,
  { headers }: IncomingRequest,
  spool: SpoolFile,
): Promise<DeferredBody['parameters']> {
  if (type === 'json') return (await parseLargeJson(chunks, spool)) ?? fail('jsonInvalid');
  if (type === 'multipart')
    return (await parseLargeMultipart(chunks, headers as BusboyHeaders, spool)) ?? fail('filePart');
  return parseLargeForm(chunks, spool);
}

/** Returns a parameter as text. JSON null counts as omitted. */
export function getTextParameter(parameters: RawParameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : typeof value === 'object' ? undefined : String(value);
}

/** Limits of the size of bodies. */
interface BodyLimits {
  /** Maximum size in bytes; larger bodies get 413. */
  readonly maxBytes: number;
  /** Size in bytes above which `onLarge` is called. */
  readonly largeThresholdBytes: number;
  /** Called once, before the rest is read; an error that it throws is the response. */
  readonly onLarge: () => Promise<void>;
}

/** Maximum size of a body in memory; larger bodies are streamed. */
const MAX_IN_MEMORY_BYTES = 1024 * 1024;

/** A small body in memory, or a large one as a stream. */
type SmallOrLargeBody = { readonly buffer: Buffer } | { readonly chunks: AsyncGenerator<Buffer> };

/** Returns a small body as a buffer, and a large one as a stream of chunks at the reader's pace. */
async function startReadingBody(request: IncomingRequest, limits: BodyLimits): Promise<SmallOrLargeBody> {
  const declaredLength = Number(request.headers['content-length'] ?? 0);
  if (declaredLength > limits.maxBytes) throw bodyTooLarge();
  reserveBodyMemory(request, Math.min(declaredLength, MAX_IN_MEMORY_BYTES));
  if (declaredLength > limits.largeThresholdBytes) await limits.onLarge();
  const chunks = countBytes(request, {
    ...limits,
    // Infinity: `onLarge` has been called already.
    largeThresholdBytes:
      declaredLength > limits.largeThresholdBytes ? Number.POSITIVE_INFINITY : limits.largeThresholdBytes,
  });
  const firstChunks = createBodyBuffer(request);
  try {
    while (firstChunks.size <= MAX_IN_MEMORY_BYTES) {
      const { done, value } = await chunks.next();
      if (done) return { buffer: concatBody(firstChunks) };
      firstChunks.push(value);
    }
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
  return { chunks: joinChunks(request, firstChunks.chunks(), chunks) };
}

/** Yields the chunks of the body. Throws 413 above the limit and calls `onLarge` at the threshold. */
async function* countBytes(
  request: IncomingRequest,
  { maxBytes, largeThresholdBytes, onLarge }: BodyLimits,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of readChunks(request)) {
    const previousSize = size;
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge();
    if (previousSize <= largeThresholdBytes && size > largeThresholdBytes) await onLarge();
    yield chunk;
  }
}

/** Yields the buffered chunks, releases their memory reservation, and yields the rest. */
async function* joinChunks(
  request: IncomingRequest,
  firstChunks: Buffer[],
  remainingChunks: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    for (let chunk = firstChunks.shift(); chunk !== undefined; chunk = firstChunks.shift()) yield chunk;
    releaseBodyMemory(request);
    yield* remainingChunks;
  } finally {
    await remainingChunks.return(undefined);
  }
}
