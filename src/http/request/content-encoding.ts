import type { Readable } from 'node:stream';
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
import { type Client, gate, givingWay } from '#runtime/concurrency-limiter.ts';

/** Undoing what clients have compressed, bounded in memory and time whatever comes of it (contract/monitoring.md §1, §10). */

interface Coding {
  /** The whole of something small. */
  readonly atOnce: (bytes: InputType, options: Pick<ZlibOptions, 'maxOutputLength'>) => Buffer;
  readonly stream: (options: Pick<ZlibOptions, 'chunkSize'>) => Readable & NodeJS.WritableStream;
}

const GZIP: Coding = { atOnce: gunzipSync, stream: createGunzip };
const ZLIB: Coding = { atOnce: inflateSync, stream: createInflate };
const RAW: Coding = { atOnce: inflateRawSync, stream: createInflateRaw };
const BROTLI: Coding = { atOnce: brotliDecompressSync, stream: createBrotliDecompress };

/** A value of Content-Encoding that is understood. */
export type Encoding = 'identity' | 'gzip' | 'deflate' | 'br';

/** What a Content-Encoding says; null: it is none that is understood. */
export function encodingOf(header: string | undefined): Encoding | null {
  const named = (header ?? '').trim().toLowerCase() || 'identity';
  return named === 'identity' || named === 'gzip' || named === 'deflate' || named === 'br' ? named : null;
}

/** The bytes are not what they are said to be. */
export class Undecodable extends Error {}

/** What is decoded at once, in the time of a small answer, and what may come of it: bytes. */
const SMALL = 64 * 1024;
const PIECE = 64 * 1024;

/** The decoded bytes; null: they are more than 64 KiB. */
function decodedAtOnce(bytes: Buffer, encoding: Encoding): Buffer | null {
  if (bytes.length > SMALL) return null;
  const coding = codingOf(bytes, encoding);
  try {
    return coding === null ? bytes : coding.atOnce(bytes, { maxOutputLength: SMALL });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw new Undecodable();
  }
}

/** The decoded bytes, no more of them than their reader takes. Fails with `Undecodable`. */
export async function* decodedPieces(bytes: Buffer, encoding: Encoding): AsyncGenerator<Buffer> {
  const coding = codingOf(bytes, encoding);
  const giveWay = givingWay();
  if (coding === null) {
    for (let at = 0; at < bytes.length; at += PIECE) {
      yield bytes.subarray(at, at + PIECE);
      await giveWay();
    }
    return;
  }
  const decoder = coding.stream({ chunkSize: PIECE });
  decoder.end(bytes);
  try {
    for await (const piece of decoder) yield piece as Buffer;
  } catch {
    throw new Undecodable();
  }
}

function codingOf(bytes: Buffer, encoding: Encoding): Coding | null {
  if (encoding === 'identity') return null;
  if (encoding === 'gzip') return GZIP;
  if (encoding === 'br') return BROTLI;
  return isZlib(bytes) ? ZLIB : RAW;
}

/** What `deflate` is meant to be begins with two bytes that say so (RFC 1950); some leave them out. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Those who decode and parse more wait for one another: a decoder takes up to 16 MiB, and what is parsed many times its length. */
const large = gate(2, { waiting: 200, retryAfter: 5 });

/**
 * What `read` makes of the decoded bytes. Fails with `Undecodable`; where they are many, with `QueueFull` and `WaiterGone` as
 * well.
 */
export async function readDecoded<Result>(
  bytes: Buffer,
  encoding: Encoding,
  read: (pieces: Pieces) => Promise<Result>,
  client: Client,
): Promise<Result> {
  const small = decodedAtOnce(bytes, encoding);
  if (small !== null) return read([small]);
  return large.enter(() => read(decodedPieces(bytes, encoding)), { client });
}

/** Bytes as they come. */
export type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

/** All of them together; null: they are more than so many bytes. */
export async function collected(pieces: Pieces, most: number): Promise<Buffer | null> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) return null;
    kept.push(piece);
  }
  return kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept, size);
}
