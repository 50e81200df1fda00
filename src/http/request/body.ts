import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { assign, emptyRaw, type FilePart, parseForm, type Raw } from '../parameters/brackets.ts';
import { badRequestText, bodyStalled, bodyTooLarge, HttpRefusal, unsupportedType } from '../refusals/refusal.ts';
import type { Incoming } from './incoming.ts';
import { isClean, single } from './incoming.ts';

/** Reading bodies (contract/conventions.md §1 stages 3 and 5, §3 "Sources"). */

export const MEBIBYTE = 1024 * 1024;
const BODY_LIMIT = 10 * MEBIBYTE;
const MAX_DEPTH = 32;
const MAX_ITEMS = 50_000;
const MAX_ELEMENTS = 100_000;
const NAME_LIMIT = 8192;

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

/** The whole body, at most `limit` bytes; more is 413, one that stands still is 408. */
export async function readBytes(request: Incoming, limit = BODY_LIMIT): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw bodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of watched(request)) {
    size += chunk.length;
    if (size > limit) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/**
 * The body's chunks; refused with 408 when the client lets one wait for the time that the request has patience. The
 * time that the consumer takes for a chunk doesn't count. When reading ends early the rest of the body runs past: the
 * answer still has to go out on its connection.
 */
export async function* watched(request: Incoming): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = request.stream.iterator({ destroyOnReturn: false });
  let holding = false;
  try {
    while (true) {
      const { done, value } = await inTime(chunks.next(), request.patience);
      if (done) return;
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
  if (type === 'multipart') return readMultipart(request);
  const bytes = await readBytes(request);
  if (bytes.length === 0) return emptyRaw();
  if (type === 'json') return parseJsonParameters(bytes);
  if (type === 'form') return parseFormBytes(bytes);
  throw unsupportedType(mediaTypeName(single(request.headers['content-type']) ?? ''));
}

function parseFormBytes(bytes: Buffer): Raw {
  const text = bytes.toString('latin1');
  if (!isClean(text)) throw badRequestText();
  return parseForm(/[\u0080-\uffff]/.test(text) ? bytes.toString('utf8') : text);
}

/** A JSON object's members; a body that is an array or a scalar counts as none. */
export function parseJsonParameters(bytes: Buffer): Raw {
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return emptyRaw();
  return Object.assign(emptyRaw(), value);
}

function parseJson(bytes: Buffer): unknown {
  const source = bytes.toString('utf8');
  if (source.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new HttpRefusal(400, { error: 'Invalid JSON format' });
  }
  checkSize(value);
  return value;
}

/** Bounds on what may be nested and counted, so that no body makes a later stage slow. */
function checkSize(root: unknown): void {
  const refuse = (error: string) => {
    throw new HttpRefusal(400, { error });
  };
  let total = 0;
  const walk = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) refuse('Parameters nested too deeply');
    const items = Array.isArray(value) ? value : Object.values(value);
    if (items.length > MAX_ITEMS)
      refuse(Array.isArray(value) ? 'Array parameter too large' : 'Hash parameter too large');
    total += items.length;
    if (total > MAX_ELEMENTS) refuse('Too many total parameters');
    for (const item of items) walk(item, depth + 1);
  };
  walk(root, 1);
}

export { type FilePart, isFilePart } from '../parameters/brackets.ts';

async function readMultipart(request: Incoming): Promise<Raw> {
  const bytes = await readBytes(request);
  return parseMultipart(bytes, request.headers as BusboyHeaders);
}

export function parseMultipart(bytes: Buffer, headers: BusboyHeaders, limit = BODY_LIMIT): Promise<Raw> {
  const result = emptyRaw();
  return new Promise((resolve, reject) => {
    const broken = () => reject(new HttpRefusal(400, { error: 'Invalid multipart body' }));
    const put = (name: string, value: string | FilePart) => {
      if (isBadText(name, bytes) || (typeof value === 'string' && isBadText(value, bytes))) reject(badRequestText());
      assign(result, name, value);
    };
    let parser: BusboyInstance;
    try {
      parser = new Busboy({ headers, limits: { fieldSize: limit, fieldNameSize: NAME_LIMIT, parts: MAX_ITEMS } });
    } catch {
      broken();
      return;
    }
    parser.on('field', (name, value) => put(name, value));
    parser.on('file', (name, stream, filename) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => put(name, { filename, bytes: Buffer.concat(chunks) }));
    });
    parser.on('error', broken);
    parser.on('finish', () => resolve(result));
    parser.end(bytes);
  });
}

/** Stage 1 for a decoded part: NUL, or a replacement character that the bytes don't have, so that they were not UTF-8. */
function isBadText(text: string, bytes: Buffer): boolean {
  return text.includes('\u0000') || (text.includes('\ufffd') && !bytes.includes('\ufffd'));
}
