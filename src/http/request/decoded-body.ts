import { pipeline, type Readable } from 'node:stream';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  type InputType,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib';
import { createConcurrencyLimiter, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { hasErrorCode } from '#runtime/failure.ts';
import { createYielder } from '#runtime/yielding.ts';
import { bodyTooLarge } from '../errors/http-error.ts';
import { MEBIBYTE, readBytes, readChunks, SMALL_BODY_LIMIT, takeLargeBodySlot } from './body.ts';
import { reserveBodyMemory } from './body-memory.ts';
import { firstHeader, type IncomingRequest } from './incoming.ts';

/** Maximum memory of a Brotli decoder, in bytes. It does not exceed the decoded bytes; other decoders take little. */
const MAX_BROTLI_BYTES = 16 * MEBIBYTE;

/**
 * Yields the decoded body while it arrives, without collecting it. Throws 413 after the decoded bytes that are within the
 * limits, `DecodingError` for invalid bytes, 408 for a slow client, and `QueueFull` if too many large bodies are being received.
 */
export async function* readDecodedChunks(
  request: IncomingRequest,
  encoding: Encoding,
  limits: { readonly maxSentBytes: number; readonly maxDecodedBytes: number },
): AsyncGenerator<Buffer> {
  const source = await createSource(request, encoding, limits.maxSentBytes);
  if (Buffer.isBuffer(source)) {
    yield source;
    return;
  }
  let decodedBytes = 0;
  let releaseSlot: (() => void) | undefined;
  try {
    for await (const chunk of decodeStream(source, encoding)) {
      decodedBytes += chunk.length;
      if (decodedBytes > limits.maxDecodedBytes) throw bodyTooLarge();
      if (encoding === 'br') reserveBodyMemory(request, Math.min(decodedBytes, MAX_BROTLI_BYTES));
      if (decodedBytes > MEBIBYTE) releaseSlot ??= await takeLargeBodySlot(request);
      yield chunk;
    }
  } finally {
    releaseSlot?.();
  }
}

/** Returns the whole body, decoded, if it is small; else the chunks as sent. */
async function createSource(request: IncomingRequest, encoding: Encoding, limit: number) {
  const declaredLength = Number(firstHeader(request.headers['content-length']) ?? Number.NaN);
  // NaN, an undeclared length, counts as large.
  if (!(declaredLength <= SMALL_BODY_LIMIT)) return limitChunks(readChunks(request), limit);
  const bytes = await readBytes(request);
  return decodeSmallBody(bytes, encoding) ?? [bytes];
}

/** Chunks that are smaller than this are joined, because each chunk that a reader keeps has overhead. */
const MIN_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 16 * 1024;

/** Yields the chunks, small ones joined, and throws 413 after `maxBytes`. */
async function* limitChunks(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  let block = Buffer.alloc(0);
  let blockSize = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge();
    if (blockSize > 0 && blockSize + chunk.length > block.length) {
      yield block.subarray(0, blockSize);
      blockSize = 0;
    }
    if (chunk.length >= MIN_CHUNK_BYTES && blockSize === 0) yield chunk;
    else {
      if (blockSize === 0) block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      chunk.copy(block, blockSize);
      blockSize += chunk.length;
    }
  }
  if (blockSize > 0) yield block.subarray(0, blockSize);
}

/** Consecutive chunks of bytes. */
interface ChunkBuffer {
  /** Size of all chunks, in bytes. */
  readonly size: number;
  add(chunk: Buffer): void;
  /** Returns the chunks as one `Buffer` and removes them. */
  take(): Buffer;
}

export function createChunkBuffer(): ChunkBuffer {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(chunk) {
      if (chunk.length > 0) chunks.push(chunk);
      size += chunk.length;
    },
    take() {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
      chunks = [];
      size = 0;
      return bytes;
    },
  };
}

/** The two ways to decode one encoding. */
interface Decoder {
  /** Decodes a small body synchronously. */
  readonly decodeSync: (bytes: InputType, options: Pick<ZlibOptions, 'maxOutputLength'>) => Buffer;
  readonly createStream: (options: Pick<ZlibOptions, 'chunkSize'>) => Readable & NodeJS.WritableStream;
}

const GZIP: Decoder = { decodeSync: gunzipSync, createStream: createGunzip };
const ZLIB: Decoder = { decodeSync: inflateSync, createStream: createInflate };
const RAW_DEFLATE: Decoder = { decodeSync: inflateRawSync, createStream: createInflateRaw };
const BROTLI: Decoder = { decodeSync: brotliDecompressSync, createStream: createBrotliDecompress };

/** A supported value of Content-Encoding. */
export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br';

/** Parses a Content-Encoding header; returns null if it is not supported. */
export function parseEncoding(header: string | undefined): Encoding | null {
  const encoding = (header ?? '').trim().toLowerCase() || 'identity';
  return encoding === 'identity' || encoding === 'gzip' || encoding === 'deflate' || encoding === 'br'
    ? encoding
    : null;
}

/** Error for bytes that are not valid for their encoding. */
export class DecodingError extends Error {}

/** The limit of input and output of synchronous decoding, and of parsing without a limit of concurrency, in bytes. */
export const MAX_SYNC_BYTES = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Returns the decoded bytes, or null if they are more than 64 KiB. Throws `DecodingError`. */
function decodeSmallBody(bytes: Buffer, encoding: Encoding): Buffer | null {
  if (bytes.length > MAX_SYNC_BYTES) return null;
  if (encoding === 'identity') return bytes;
  try {
    return findDecoder(bytes, encoding).decodeSync(bytes, { maxOutputLength: MAX_SYNC_BYTES });
  } catch (error) {
    if (hasErrorCode(error, 'ERR_BUFFER_TOO_LARGE')) return null;
    throw new DecodingError();
  }
}

/** Yields the decoded bytes at the pace of the reader. Throws `DecodingError`. */
export function decodeChunks(bytes: Buffer, encoding: Encoding): AsyncGenerator<Buffer> {
  return decodeStream([bytes], encoding);
}

/**
 * Yields the decoded bytes at the pace of the reader, in chunks of at most 64 KiB. Throws `DecodingError`, and the errors of
 * the source.
 */
async function* decodeStream(source: Chunks, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding !== 'identity') {
    yield* decompress(source, encoding);
    return;
  }
  const yieldIfDue = createYielder();
  for await (const bytes of source) {
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
      yield bytes.subarray(offset, offset + CHUNK_BYTES);
      await yieldIfDue();
    }
  }
}

async function* decompress(source: Chunks, encoding: Exclude<Encoding, 'identity'>): AsyncGenerator<Buffer> {
  let sourceError: unknown = null;
  const chunks = (async function* () {
    try {
      yield* source;
    } catch (error) {
      sourceError = error;
      throw error;
    }
  })();
  try {
    const firstChunk = await readFirstChunk(chunks);
    const compressed = (async function* () {
      yield firstChunk;
      yield* chunks;
    })();
    // Reading the decoded stream throws the error, so the callback ignores it.
    const decodedStream = pipeline(
      compressed,
      findDecoder(firstChunk, encoding).createStream({ chunkSize: CHUNK_BYTES }),
      () => {},
    );
    for await (const chunk of decodedStream) yield chunk as Buffer;
  } catch {
    throw sourceError ?? new DecodingError();
  }
}

/** Returns the first chunk, with at least the two bytes that tell zlib data from raw data if there are as many. */
async function readFirstChunk(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < 2) {
    const { done, value } = await chunks.next();
    if (done) break;
    start = start.length === 0 ? value : Buffer.concat([start, value]);
  }
  return start;
}

function findDecoder(start: Buffer, encoding: Exclude<Encoding, 'identity'>): Decoder {
  if (encoding === 'gzip') return GZIP;
  if (encoding === 'br') return BROTLI;
  return isZlib(start) ? ZLIB : RAW_DEFLATE;
}

/** Returns whether the data has the zlib header (RFC 1950) of `deflate`, which some clients leave out. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Limits concurrent decoding of large bodies: a decoder takes up to 16 MiB, and parsing many times the length of the body. */
const largeBodyLimiter = createConcurrencyLimiter(2, { maxWaiting: 200, retryAfterSeconds: 5 });

/**
 * Decodes the bytes and returns the result of `read`. Throws `DecodingError`; for large bodies also `QueueFull`, and the error for
 * a client that disconnects while it waits.
 */
export async function readDecoded<Result>(
  bytes: Buffer,
  encoding: Encoding,
  read: (chunks: Chunks) => Promise<Result>,
  client: RequestClient,
): Promise<Result> {
  const decoded = decodeSmallBody(bytes, encoding);
  if (decoded !== null) return read([decoded]);
  return parseLargeBody(() => read(decodeChunks(bytes, encoding)), client);
}

/** Runs the parsing of a body over 64 KiB. Throws `QueueFull`, and the error for a client that disconnects while it waits. */
export function parseLargeBody<Result>(parse: () => Promise<Result>, client: RequestClient): Promise<Result> {
  return largeBodyLimiter.run(parse, { client });
}

/** Bytes in chunks. */
type Chunks = Iterable<Buffer> | AsyncIterable<Buffer>;

/** Joins chunks; returns null if they are more than `maxBytes` bytes. */
export async function collectBytes(chunks: Chunks, maxBytes: number): Promise<Buffer | null> {
  const collected: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) return null;
    collected.push(chunk);
  }
  return collected.length === 1 ? collected[0]! : Buffer.concat(collected, size);
}
