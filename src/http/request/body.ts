import { Readable } from 'node:stream';
import type { BusboyHeaders } from '@fastify/busboy';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { bodyTooLarge, requestTimeout, unsupportedMediaType } from '../errors/http-error.ts';
import { emptyParameters, type RawParameters, toRawParameters } from '../parameters/brackets.ts';
import { type BodyBuffer, createBodyBuffer, releaseUnused, reserve, waitToReserve } from './body-memory.ts';
import { parseFormBody } from './form-body.ts';
import { firstHeader, type IncomingRequest } from './incoming.ts';
import { parseJson } from './json-body.ts';
import { parseMultipart } from './multipart.ts';

/** Reads request bodies (contract/conventions.md §1 stages 3 and 5, §3 "Sources"). */

export const MEBIBYTE = 1024 * 1024;
const SMALL_BODY_LIMIT = 64 * 1024;
const BODY_LIMIT = 10 * MEBIBYTE;

type MediaType = 'none' | 'json' | 'form' | 'multipart' | 'other';

export function mediaType(request: IncomingRequest): MediaType {
  const declared = firstHeader(request.headers['content-type']);
  if (declared === undefined || declared === '') return request.method === 'POST' ? 'form' : 'none';
  switch (mediaTypeName(declared)) {
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

export function mediaTypeName(declared: string): string {
  return (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function hasBody(request: IncomingRequest): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Limits of bodies over 1 MiB that are received at once, per network and in total; a limited number of others waits. With the
 * waiting ones they hold 48 and 96 MiB plus what they request, which fits into the limits of `body-memory.ts`.
 */
const LARGE_BODY_LIMITS = { each: 16, all: 32 };
const largeBodySlots = createConcurrencySlots(LARGE_BODY_LIMITS);

/**
 * Reads the whole body. Throws 413 for more than `limit` bytes, 408 for an idle or slow client.
 * Throws `QueueFull` if too many large bodies are being received, and 503 if bodies use too much memory (`body-memory.ts`).
 */
export async function readBytes(request: IncomingRequest, limit = BODY_LIMIT): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw bodyTooLarge();
  // The body cannot exceed its declared length.
  if (declared > 0 && declared <= SMALL_BODY_LIMIT) return readSmallBody(request);
  const body = createBodyBuffer(request);
  let leave: (() => void) | undefined;
  const beLarge = async (length: number) => {
    if (leave !== undefined) return;
    leave = await largeBodySlots.take(request.clientAddress, request.client);
    await waitToReserve(request, length);
  };
  try {
    // Wait or fail before the first byte, if the length is declared.
    if (declared > MEBIBYTE) await beLarge(declared);
    else reserve(request, declared);
    for await (const chunk of readChunks(request)) {
      if (body.size + chunk.length > limit) throw bodyTooLarge();
      body.push(chunk);
      // The final length is unknown.
      if (body.size > MEBIBYTE) await beLarge(limit);
    }
    releaseUnused(request);
  } finally {
    leave?.();
  }
  return concatBody(body);
}

/** Reads a small body. Nearly all bodies are one small chunk, for which an async iterator would cost more than all else. */
function readSmallBody(request: IncomingRequest): Promise<Buffer> {
  const { stream, idleTimeout } = request;
  return new Promise((resolve, reject) => {
    const pace = new BodyTimer(idleTimeout);
    const body = createBodyBuffer(request);
    let timer: NodeJS.Timeout;
    const waitOn = () => {
      timer = setTimeout(() => end(() => reject(requestTimeout())), pace.next());
    };
    const take = (chunk: Buffer) => {
      try {
        body.push(chunk);
      } catch (error) {
        end(() => reject(error));
        drain(stream);
        return;
      }
      pace.came(chunk.length);
      clearTimeout(timer);
      waitOn();
    };
    const whole = () => end(() => resolve(concatBody(body)));
    const fail = (error?: Error) => end(() => reject(error ?? new Error('The connection ended before the body')));
    const end = (settle: () => void) => {
      clearTimeout(timer);
      stream.off('data', take).off('end', whole).off('error', fail).off('close', fail);
      settle();
    };
    waitOn();
    if (stream.destroyed) fail(stream.errored ?? undefined);
    else stream.on('data', take).on('end', whole).on('error', fail).on('close', fail);
  });
}

export function concatBody(body: BodyBuffer): Buffer {
  const chunks = body.chunks();
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, body.size);
}

/** The minimum rate of a body that has been slow for long. */
const MIN_BYTES_PER_SECOND = 1024;
/** The idle time a body may accumulate, in idle timeouts, before the minimum rate applies. */
const MAX_IDLE_PERIODS = 10;

/** Computes the timeout for the next chunk of a body. The time that its consumer takes does not count. */
class BodyTimer {
  readonly #idleTimeout: number;
  #left: number;
  #began = 0;

  constructor(idleTimeout: number) {
    this.#idleTimeout = idleTimeout;
    this.#left = idleTimeout * MAX_IDLE_PERIODS;
  }

  /** Returns the timeout in milliseconds from now. */
  next(): number {
    this.#began = performance.now();
    return Math.max(0, Math.min(this.#left, this.#idleTimeout));
  }

  came(bytes: number): void {
    this.#left += (bytes * 1000) / MIN_BYTES_PER_SECOND - (performance.now() - this.#began);
  }
}

/**
 * Yields the chunks of the body. Throws 408 if the client is idle for the idle timeout of the request, or slower than 1 KiB/s for
 * long; the time of the consumer does not count. If reading ends early, the rest of the body is discarded, so that the
 * response can still be sent on the connection.
 */
export async function* readChunks(request: IncomingRequest): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = request.stream.iterator({ destroyOnReturn: false });
  const pace = new BodyTimer(request.idleTimeout);
  let holding = false;
  try {
    while (true) {
      const { done, value } = await withTimeout(chunks.next(), pace.next());
      if (done) return;
      pace.came(value.length);
      holding = true;
      yield value;
      holding = false;
    }
  } finally {
    if (holding) {
      await chunks.return?.();
      drain(request.stream);
    }
  }
}

/** Returns the body as a stream with the same timeouts; it fails with the same errors. Destroying it discards the rest. */
export function bodyStream(request: IncomingRequest): Readable {
  return Readable.from(readChunks(request), { objectMode: false });
}

async function withTimeout<T>(coming: Promise<T>, milliseconds: number): Promise<T> {
  const stall = Promise.withResolvers<never>();
  const timer = setTimeout(() => stall.reject(requestTimeout()), milliseconds);
  try {
    return await Promise.race([coming, stall.promise]);
  } finally {
    clearTimeout(timer);
    // The read fails later, when the connection ends, and nobody handles its rejection.
    coming.catch(() => {});
  }
}

function drain(stream: Readable): void {
  stream.on('error', () => {});
  // The listeners of the iterator are removed at the next tick; before that the stream would not flow.
  setImmediate(() => stream.resume());
}

/** Returns the parameters of a body in any of the three encodings; an empty body has none. */
export async function readBodyParameters(request: IncomingRequest): Promise<RawParameters> {
  if (!hasBody(request)) return emptyParameters();
  const type = mediaType(request);
  const bytes = await readBytes(request, bodyLimit(request.method));
  if (type === 'multipart') return parseMultipart(bytes, request.headers as BusboyHeaders);
  if (bytes.length === 0) return emptyParameters();
  if (type === 'json') return parseJsonParameters(bytes);
  if (type === 'form') return parseFormBody(bytes);
  throw unsupportedMediaType(mediaTypeName(firstHeader(request.headers['content-type']) ?? ''));
}

/** Returns the members of a JSON body, whatever its media type; an empty body has none. */
export async function readJsonParameters(request: IncomingRequest): Promise<RawParameters> {
  return hasBody(request)
    ? parseJsonParameters(await readBytes(request, bodyLimit(request.method)))
    : emptyParameters();
}

/** Methods that usually have no body get a small limit. */
function bodyLimit(method: string): number {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE' ? SMALL_BODY_LIMIT : BODY_LIMIT;
}

/** Returns the members of a JSON object; an array or a scalar has none. */
async function parseJsonParameters(bytes: Buffer): Promise<RawParameters> {
  return toRawParameters(await parseJson(bytes));
}
