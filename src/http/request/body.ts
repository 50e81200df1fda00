import { Readable } from 'node:stream';
import type { BusboyHeaders } from '@fastify/busboy';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { bodyTooLarge, requestTimeout, unsupportedMediaType } from '../errors/http-error.ts';
import { createEmptyParameters, type RawParameters, toRawParameters } from '../parameters/brackets.ts';
import {
  type BodyBuffer,
  createBodyBuffer,
  releaseUnusedBodyMemory,
  reserveBodyMemory,
  waitForBodyMemory,
} from './body-memory.ts';
import { parseFormBody } from './form-body.ts';
import { firstHeader, type IncomingRequest } from './incoming.ts';
import { parseJson } from './json-body.ts';
import { parseMultipart } from './multipart.ts';

/** Reads request bodies (contract/conventions.md §1 stages 3 and 5, §3 "Sources"). */

export const MEBIBYTE = 1024 * 1024;
/** Maximum size in bytes of a body that is read without an iterator, and of bodies of GET, HEAD and DELETE. */
export const SMALL_BODY_LIMIT = 64 * 1024;
const BODY_LIMIT = 10 * MEBIBYTE;

type MediaType = 'none' | 'json' | 'form' | 'multipart' | 'other';

/** Returns the media type of the body. Without a Content-Type, the body of a POST counts as a form. */
export function getMediaType(request: IncomingRequest): MediaType {
  const contentType = firstHeader(request.headers['content-type']);
  if (contentType === undefined || contentType === '') return request.method === 'POST' ? 'form' : 'none';
  switch (parseMediaTypeName(contentType)) {
    case 'application/json':
      return 'json';
    case 'application/x-www-form-urlencoded':
      return 'form';
    case 'multipart/form-data':
      return 'multipart';
    default:
      return 'other';
  }
}

/** Returns the name in a Content-Type header, in lower case and without parameters. */
export function parseMediaTypeName(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function hasBody(request: IncomingRequest): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Limits of bodies over 1 MiB that are received at the same time, per network and in total; twice as many wait. Each body
 * holds up to 1 MiB before it waits, 48 MiB per network and 96 MiB in total. The limits in `body-memory.ts` leave 16 and 32
 * MiB for the reservations of the admitted bodies.
 */
const LARGE_BODY_LIMITS = { perNetwork: 16, total: 32 };
const largeBodySlots = createConcurrencySlots(LARGE_BODY_LIMITS);

/**
 * Waits for a slot for a body over 1 MiB that is not collected in memory, and returns a function that releases it. Throws
 * `QueueFull` if too many large bodies are being received.
 */
export function takeLargeBodySlot({ clientAddress, client }: IncomingRequest): Promise<() => void> {
  return largeBodySlots.take(clientAddress, client);
}

/**
 * Reads the whole body. Throws 413 for more than `limit` bytes, 408 for an idle or slow client.
 * Throws `QueueFull` if too many large bodies are being received, and 503 if bodies use too much memory (`body-memory.ts`).
 */
export async function readBytes(request: IncomingRequest, limit = BODY_LIMIT): Promise<Buffer> {
  const declaredLength = Number(request.headers['content-length'] ?? 0);
  if (declaredLength > limit) throw bodyTooLarge();
  // The body cannot exceed its declared length.
  if (declaredLength > 0 && declaredLength <= SMALL_BODY_LIMIT) return readSmallBody(request);
  const body = createBodyBuffer(request);
  let releaseSlot: (() => void) | undefined;
  const reserveLargeBody = async (length: number) => {
    if (releaseSlot !== undefined) return;
    releaseSlot = await takeLargeBodySlot(request);
    await waitForBodyMemory(request, length);
  };
  try {
    // Wait or fail before the first byte, if the length is declared.
    if (declaredLength > MEBIBYTE) await reserveLargeBody(declaredLength);
    else reserveBodyMemory(request, declaredLength);
    for await (const chunk of readChunks(request)) {
      if (body.size + chunk.length > limit) throw bodyTooLarge();
      body.push(chunk);
      // The final length is unknown, so the limit is reserved.
      if (body.size > MEBIBYTE) await reserveLargeBody(limit);
    }
    releaseUnusedBodyMemory(request);
  } finally {
    releaseSlot?.();
  }
  return concatBody(body);
}

/** Reads a body of at most 64 KiB. Nearly all bodies are one small chunk, for which an async iterator would cost more than all else. */
function readSmallBody(request: IncomingRequest): Promise<Buffer> {
  const { stream, idleTimeoutMs } = request;
  return new Promise((resolve, reject) => {
    const bodyTimer = new BodyTimer(idleTimeoutMs);
    const body = createBodyBuffer(request);
    let timer: NodeJS.Timeout;
    const startTimer = () => {
      timer = setTimeout(() => finish(() => reject(requestTimeout())), bodyTimer.nextTimeoutMs());
    };
    const addChunk = (chunk: Buffer) => {
      try {
        body.push(chunk);
      } catch (error) {
        finish(() => reject(error));
        drain(stream);
        return;
      }
      bodyTimer.addBytes(chunk.length);
      clearTimeout(timer);
      startTimer();
    };
    const complete = () => finish(() => resolve(concatBody(body)));
    const fail = (error?: Error) => finish(() => reject(error ?? new Error('The connection ended before the body')));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      stream.off('data', addChunk).off('end', complete).off('error', fail).off('close', fail);
      settle();
    };
    startTimer();
    if (stream.destroyed) fail(stream.errored ?? undefined);
    else stream.on('data', addChunk).on('end', complete).on('error', fail).on('close', fail);
  });
}

export function concatBody(body: BodyBuffer): Buffer {
  const chunks = body.chunks();
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, body.size);
}

/** Minimum rate of a body that has been slow for a long time. */
const MIN_BYTES_PER_SECOND = 1024;
/** The idle time a body may accumulate, in idle timeouts, before the minimum rate applies. */
const MAX_IDLE_PERIODS = 10;

/** Computes the timeout for the next chunk of a body. The time that its consumer takes does not count. */
class BodyTimer {
  readonly #idleTimeoutMs: number;
  #remainingMs: number;
  #waitStartedAt = 0;

  constructor(idleTimeoutMs: number) {
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#remainingMs = idleTimeoutMs * MAX_IDLE_PERIODS;
  }

  /** Returns the timeout in milliseconds from now. */
  nextTimeoutMs(): number {
    this.#waitStartedAt = performance.now();
    return Math.max(0, Math.min(this.#remainingMs, this.#idleTimeoutMs));
  }

  /** Adds received bytes, which extend the allowed idle time. */
  addBytes(bytes: number): void {
    this.#remainingMs += (bytes * 1000) / MIN_BYTES_PER_SECOND - (performance.now() - this.#waitStartedAt);
  }
}

/**
 * Yields the chunks of the body. Throws 408 if the client is idle for the idle timeout of the request, or slower than 1 KiB/s for
 * long; the time of the consumer does not count. If reading ends early, the rest of the body is discarded, so that the
 * response can still be sent on the connection.
 */
export async function* readChunks(request: IncomingRequest): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = request.stream.iterator({ destroyOnReturn: false });
  const bodyTimer = new BodyTimer(request.idleTimeoutMs);
  let isYielding = false;
  try {
    while (true) {
      const { done, value } = await withTimeout(chunks.next(), bodyTimer.nextTimeoutMs());
      if (done) return;
      bodyTimer.addBytes(value.length);
      isYielding = true;
      yield value;
      isYielding = false;
    }
  } finally {
    if (isYielding) {
      await chunks.return?.();
      drain(request.stream);
    }
  }
}

/** Returns the body as a stream with the same timeouts; it fails with the same errors. Destroying it discards the rest. */
export function createBodyStream(request: IncomingRequest): Readable {
  return Readable.from(readChunks(request), { objectMode: false });
}

async function withTimeout<T>(pendingRead: Promise<T>, timeoutMs: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(requestTimeout()), timeoutMs);
  try {
    return await Promise.race([pendingRead, timeout.promise]);
  } finally {
    clearTimeout(timer);
    // The read fails later, when the connection ends, and nobody handles its rejection.
    pendingRead.catch(() => {});
  }
}

function drain(stream: Readable): void {
  stream.on('error', () => {});
  // The listeners of the iterator are removed at the next tick; before that the stream would not flow.
  setImmediate(() => stream.resume());
}

/** Returns the parameters of a body in any of the three encodings; an empty body has none. */
export async function readBodyParameters(request: IncomingRequest): Promise<RawParameters> {
  if (!hasBody(request)) return createEmptyParameters();
  const mediaType = getMediaType(request);
  const bytes = await readBytes(request, getBodyLimit(request.method));
  if (mediaType === 'multipart') return parseMultipart(bytes, request.headers as BusboyHeaders);
  if (bytes.length === 0) return createEmptyParameters();
  if (mediaType === 'json') return parseJsonParameters(bytes);
  if (mediaType === 'form') return parseFormBody(bytes);
  throw unsupportedMediaType(parseMediaTypeName(firstHeader(request.headers['content-type']) ?? ''));
}

/** Returns the members of a JSON body, regardless of its media type; an empty body has no members. */
export async function readJsonParameters(request: IncomingRequest): Promise<RawParameters> {
  return hasBody(request)
    ? parseJsonParameters(await readBytes(request, getBodyLimit(request.method)))
    : createEmptyParameters();
}

/** Returns the maximum size of a body in bytes; it is small for methods that usually have no body. */
function getBodyLimit(method: string): number {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE' ? SMALL_BODY_LIMIT : BODY_LIMIT;
}

/** Returns the members of a JSON object; an array or a scalar has none. */
async function parseJsonParameters(bytes: Buffer): Promise<RawParameters> {
  return toRawParameters(await parseJson(bytes));
}
