import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { corsHeaders } from './cors.ts';
import type { Outgoing } from './response.ts';

/** What is written in one piece, in bytes or characters; a longer answer goes out at the client's pace. */
const PIECE = 262_144;

/**
 * Sends an answer; the one way in which a body goes out. Whatever the client does meanwhile, a stream is destroyed when
 * this resolves, with all that stands behind it: a place, a process, a file. A client that takes nothing of what is
 * written for the time that the request has patience is cut off. Never rejects.
 */
export async function send(
  request: Incoming,
  outgoing: Outgoing,
  response: ServerResponse,
  { log, clock }: Pick<Services, 'log' | 'clock'>,
): Promise<void> {
  const { body } = outgoing;
  const source = body instanceof Readable ? body : null;
  // Its failure is heard while it is read; one that comes when nobody wants it any more is nobody's.
  source?.on('error', () => {});
  try {
    response.writeHead(outgoing.status, headerLines(request, outgoing, clock.now()));
    if (body === undefined || request.method === 'HEAD') await end(request, response);
    else if (source !== null) await flow(source, response, request.patience);
    else if (cutsOff(request, response)) await end(request, response, body as string | Uint8Array);
    else await write(bodyOf(outgoing), response, request.patience);
  } catch (error) {
    if (!(error instanceof NobodyReads || request.client.gone))
      log.error({ request: request.id, err: error }, 'An answer could not be sent');
    response.destroy();
  } finally {
    source?.destroy();
  }
}

/**
 * Whether the connection would end under a client that is still sending. What comes then would reset it, and the answer
 * would be lost to a client that reads only when it has sent everything, as most do.
 */
function cutsOff({ stream }: Incoming, { shouldKeepAlive }: ServerResponse): boolean {
  return !shouldKeepAlive && !stream.complete;
}

/**
 * The whole answer; a connection that ends with it ends when the request has come whole and the answer is taken, or its
 * client has gone.
 */
async function end(request: Incoming, response: ServerResponse, body?: string | Uint8Array): Promise<void> {
  if (!cutsOff(request, response)) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  const { stream, patience } = request;
  const come = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve());
  });
  // What nobody has begun to read runs past.
  if (stream.readableFlowing === null) stream.resume();
  if (body !== undefined && body.length > PIECE) await pour(flowing(body), response, patience);
  else if (body !== undefined) response.write(body);
  // How long a request may still take is decided by whoever began this answer.
  come.then(() => finish(response, patience)).catch(() => response.destroy());
}

/**
 * The body as it is written. Node sends a text in one piece with the headers and so in the encoding of the text: where
 * these hold more than ASCII, whose bytes they carry one a character, the body goes as bytes.
 */
function bodyOf({ headers, body }: Outgoing): string | Uint8Array {
  return typeof body === 'string' && holdsBytes(headers) ? Buffer.from(body) : (body as string | Uint8Array);
}

function holdsBytes(headers: Outgoing['headers']): boolean {
  for (const name in headers) if (BEYOND_ASCII.test(String(headers[name]))) return true;
  return false;
}

const BEYOND_ASCII = /[^\0-\x7f]/;

async function write(body: string | Uint8Array, response: ServerResponse, patience: number): Promise<void> {
  if (body.length > PIECE) return flow(flowing(body), response, patience);
  if (typeof body === 'string') response.end(body);
  else endWithBytes(response, body);
  // What the system takes at once, nearly always all, needs no watch.
  if (response.writableLength > 0) await taken(response, 'finish', patience);
}

function flowing(body: string | Uint8Array): Readable {
  return Readable.from(pieces(body), { objectMode: false });
}

function* pieces(body: string | Uint8Array): Generator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

async function flow(source: Readable, response: ServerResponse, patience: number): Promise<void> {
  await pour(source, response, patience);
  await finish(response, patience);
}

/** A client that goes away ends the source at once, whether it has just something to say or not. */
async function pour(source: Readable, response: ServerResponse, patience: number): Promise<void> {
  const end = () => void source.destroy();
  response.on('error', end);
  response.on('close', end);
  if (response.destroyed) end();
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    if (!response.write(chunk)) await taken(response, 'drain', patience);
  }
}

async function finish(response: ServerResponse, patience: number): Promise<void> {
  response.end();
  if (response.writableLength > 0) await taken(response, 'finish', patience);
}

/** The client has gone, or has stopped reading. */
class NobodyReads extends Error {}

/** What is written is on its way; rejects when the client goes, or lets it lie for too long. */
function taken(response: ServerResponse, event: 'drain' | 'finish', patience: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      response.off(event, done);
      response.off('close', left);
      outcome();
    };
    const done = () => settle(resolve);
    const left = () => settle(() => reject(new NobodyReads()));
    const timer = setTimeout(() => settle(() => reject(new NobodyReads())), patience);
    response.on(event, done);
    response.on('close', left);
    if (response.destroyed) left();
  });
}

/** Name, value, name, value...: what Node writes with the least work. */
function headerLines(request: Incoming, { status, headers, body }: Outgoing, now: Date): string[] {
  const lines: string[] = [];
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    if (typeof value === 'string') lines.push(name, value);
    else for (const one of value) lines.push(name, one);
  }
  lines.push('X-Request-Id', request.id, 'Date', httpDate(now));
  for (const name in GENERAL_HEADERS)
    if (headers[name] === undefined) lines.push(name, GENERAL_HEADERS[name] as string);
  const cors = corsHeaders(request);
  for (const name in cors) lines.push(name, cors[name] as string);
  if (headers['Content-Length'] !== undefined) return lines;
  if (typeof body === 'string' || body instanceof Uint8Array) {
    lines.push('Content-Length', String(Buffer.byteLength(body)));
  } else if (body === undefined && status !== 204 && status !== 304 && request.method !== 'HEAD') {
    lines.push('Content-Length', '0');
  }
  return lines;
}

let written = { second: -1, date: '' };

/** Written once a second: making it costs as much as finding a route. */
function httpDate(now: Date): string {
  const second = Math.floor(now.getTime() / 1000);
  if (written.second !== second) written = { second, date: now.toUTCString() };
  return written.date;
}

const GENERAL_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  Vary: 'Origin',
};

/** Node sends text together with the headers, bytes after them: a second write costs more than a small copy. */
function endWithBytes(response: ServerResponse, body: Uint8Array): void {
  if (body.byteLength > COPIED) response.end(body);
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
}

const COPIED = 16_384;
