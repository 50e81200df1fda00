import { Readable } from 'node:stream';
import type { BusboyHeaders } from '@fastify/busboy';
import { createPlaces } from '#rate-limits/concurrency-slots.ts';
import { bodyStalled, bodyTooLarge, unsupportedType } from '../errors/http-error.ts';
import { emptyRaw, membersOf, type Raw } from '../parameters/brackets.ts';
import { giveBackRest, type HeldBody, holdBody, reserve, reserveInTime, UNCOUNTED } from './body-memory.ts';
import { parseFormBody } from './form-body.ts';
import { type Incoming, single } from './incoming.ts';
import { parseJson } from './json-body.ts';
import { parseMultipart } from './multipart.ts';

/** Reading bodies (contract/conventions.md §1 stages 3 and 5, §3 "Sources"). */

export const MEBIBYTE = 1024 * 1024;
const SMALL_BODY_LIMIT = 64 * 1024;
const BODY_LIMIT = 10 * MEBIBYTE;

type MediaType = 'none' | 'json' | 'form' | 'multipart' | 'other';

export function mediaType(request: Incoming): MediaType {
  const declared = single(request.headers['content-type']);
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

export function hasBody(request: Incoming): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Bodies over 1 MiB that are in memory at once while their clients send them: the others wait, as long as there are few.
 * With those who wait they are 48 and 96 mebibytes and what they ask for, which what may be held (`body-memory.ts`) has room for.
 */
const LARGE_BODIES = { each: 16, all: 32 };
const largeBodies = createPlaces(LARGE_BODIES);

/**
 * The whole body, at most `limit` bytes; more is 413, one that stands still is 408. Fails with `QueueFull` when too many large
 * ones are on their way, and with 503 when bodies hold too much memory (`body-memory.ts`).
 */
export async function readBytes(request: Incoming, limit = BODY_LIMIT): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) throw bodyTooLarge();
  // No more comes than is declared, and so much counts nowhere.
  if (declared > 0 && declared <= UNCOUNTED) return readAtOnce(request);
  const body = holdBody(request);
  let leave: (() => void) | undefined;
  const beLarge = async (length: number) => {
    if (leave !== undefined) return;
    leave = await largeBodies.take(request.clientAddress, request.client);
    await reserveInTime(request, length);
  };
  try {
    // Who is to wait, or is refused, had better not have begun.
    if (declared > MEBIBYTE) await beLarge(declared);
    else reserve(request, declared);
    for await (const chunk of watched(request)) {
      if (body.size + chunk.length > limit) throw bodyTooLarge();
      body.push(chunk);
      // How much more is to come nobody knows.
      if (body.size > MEBIBYTE) await beLarge(limit);
    }
    giveBackRest(request);
  } finally {
    leave?.();
  }
  return wholeOf(body);
}

/** The whole of a body that is small: nearly all are, and come in one chunk, for which an iterator costs more than all else. */
function readAtOnce({ stream, patience }: Incoming): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pace = new Pace(patience);
    const chunks: Buffer[] = [];
    let timer: NodeJS.Timeout;
    const waitOn = () => {
      timer = setTimeout(() => end(() => reject(bodyStalled())), pace.next());
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      pace.came(chunk.length);
      clearTimeout(timer);
      waitOn();
    };
    const whole = () => end(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
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

export function wholeOf(body: HeldBody): Buffer {
  const pieces = body.pieces();
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, body.size);
}

/** A body that has been slow for long must come at least this fast, in bytes a second. */
const SLOWEST = 1024;
/** For how often the patience with one silence a slow body may take all in all, before it counts how fast it is. */
const SILENCES = 10;

/** For how long the next chunk of a body may be waited for. The time that its consumer takes doesn't count. */
class Pace {
  readonly #patience: number;
  #left: number;
  #began = 0;

  constructor(patience: number) {
    this.#patience = patience;
    this.#left = patience * SILENCES;
  }

  /** Milliseconds from now on. */
  next(): number {
    this.#began = performance.now();
    return Math.max(0, Math.min(this.#left, this.#patience));
  }

  came(bytes: number): void {
    this.#left += (bytes * 1000) / SLOWEST - (performance.now() - this.#began);
  }
}

/**
 * The body's chunks; refused with 408 when the client lets one wait for the time that the request has patience, or when
 * it has long been slower than 1 KiB a second. The time that the consumer takes for a chunk doesn't count. When reading
 * ends early the rest of the body runs past: the answer still has to go out on its connection.
 */
export async function* watched(request: Incoming): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = request.stream.iterator({ destroyOnReturn: false });
  const pace = new Pace(request.patience);
  let holding = false;
  try {
    while (true) {
      const { done, value } = await inTime(chunks.next(), pace.next());
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

/** The body as a stream, watched in the same way: it fails with the refusal. Destroying it lets the rest run past. */
export function flowingBody(request: Incoming): Readable {
  return Readable.from(watched(request), { objectMode: false });
}

async function inTime<T>(coming: Promise<T>, milliseconds: number): Promise<T> {
  const stall = Promise.withResolvers<never>();
  const timer = setTimeout(() => stall.reject(bodyStalled()), milliseconds);
  try {
    return await Promise.race([coming, stall.promise]);
  } finally {
    clearTimeout(timer);
    // The connection ends after a stall, and with it this read, when nobody listens any more.
    coming.catch(() => {});
  }
}

function drain(stream: Readable): void {
  stream.on('error', () => {});
  // The iterator's listeners are gone only at the next tick; before that the stream would not flow.
  setImmediate(() => stream.resume());
}

/** The parameters of a body in any of the three encodings; an empty body has none. */
export async function readMerged(request: Incoming): Promise<Raw> {
  if (!hasBody(request)) return emptyRaw();
  const type = mediaType(request);
  const bytes = await readBytes(request, limitOf(request.method));
  if (type === 'multipart') return parseMultipart(bytes, request.headers as BusboyHeaders);
  if (bytes.length === 0) return emptyRaw();
  if (type === 'json') return parseJsonParameters(bytes);
  if (type === 'form') return parseFormBody(bytes);
  throw unsupportedType(mediaTypeName(single(request.headers['content-type']) ?? ''));
}

/** A JSON body's members whatever its media type is; an empty body has none. */
export async function readJson(request: Incoming): Promise<Raw> {
  return hasBody(request) ? parseJsonParameters(await readBytes(request, limitOf(request.method))) : emptyRaw();
}

/** Clients send small bodies where most send none. */
function limitOf(method: string): number {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE' ? SMALL_BODY_LIMIT : BODY_LIMIT;
}

/** A JSON object's members; a body that is an array or a scalar counts as none. */
async function parseJsonParameters(bytes: Buffer): Promise<Raw> {
  return membersOf(await parseJson(bytes));
}
