import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { endsInHighSurrogate } from '#text/trim.ts';
import { getCorsHeaders } from './cors.ts';
import type { OutgoingResponse } from './response.ts';

/**
 * Maximum length of a body that is sent in one write, in bytes or characters. Longer bodies are sent with
 * back-pressure.
 */
const MAX_SINGLE_WRITE_LENGTH = 262_144;
/** Length of the chunks of longer bodies. */
const CHUNK_BYTES = 65_536;

/**
 * Sends a response. When this resolves, its stream is destroyed, with the process, file or slot that it holds. A client that
 * does not read for the idle timeout of the request is disconnected. Never rejects.
 */
export async function send(
  request: IncomingRequest,
  outgoing: OutgoingResponse,
  response: ServerResponse,
  { log, clock }: Pick<Services, 'log' | 'clock'>,
): Promise<void> {
  const { body } = outgoing;
  // Errors are reported while the stream is read; later ones are ignored.
  if (body instanceof Readable) body.on('error', () => {});
  try {
    response.writeHead(outgoing.status, createHeaderLines(request, outgoing, clock.now()));
    if (body === undefined || request.method === 'HEAD') await endResponse(request, response);
    else if (body instanceof Readable) await streamBody(body, response, request.idleTimeoutMs);
    else if (wouldResetConnection(request, response)) await endResponse(request, response, body);
    else {
      // Node sends a text together with the headers, in the encoding of the text. With non-ASCII bytes (latin1) in the headers, the
      // body must be sent as bytes.
      const hasLatin1 = typeof body === 'string' && hasNonAsciiHeader(outgoing.headers);
      await writeBody(hasLatin1 ? Buffer.from(body) : body, response, request.idleTimeoutMs);
    }
  } catch (error) {
    if (!(error instanceof ClientNotReading || request.client.isDisconnected))
      log.error({ request: request.id, err: error }, 'Could not send a response');
    response.destroy();
  } finally {
    if (body instanceof Readable) body.destroy();
  }
}

/**
 * Returns whether ending the connection would reset it while the client still sends its body. Most clients read only
 * when they have sent everything, and would lose the response.
 */
function wouldResetConnection({ stream }: IncomingRequest, { shouldKeepAlive }: ServerResponse): boolean {
  return !shouldKeepAlive && !stream.complete;
}

/**
 * Ends the response. If the connection ends with it, this waits until the request has been received and the response read, or
 * until the client disconnects.
 */
async function endResponse(
  request: IncomingRequest,
  response: ServerResponse,
  body?: string | Uint8Array,
): Promise<void> {
  if (!wouldResetConnection(request, response)) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  const { stream, idleTimeoutMs } = request;
  const requestEnded = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve());
  });
  // Discard a body that nobody reads.
  if (stream.readableFlowing === null) stream.resume();
  if (body !== undefined && body.length > MAX_SINGLE_WRITE_LENGTH)
    await pipeChunks(toStream(body), response, idleTimeoutMs);
  else if (body !== undefined) response.write(body);
  // The caller limits how long the rest of the request may take (`closeUnlessFullyRead`).
  requestEnded.then(() => finishResponse(response, idleTimeoutMs)).catch(() => response.destroy());
}

function hasNonAsciiHeader(headers: OutgoingResponse['headers']): boolean {
  for (const name in headers) if (NON_ASCII.test(String(headers[name]))) return true;
  return false;
}

const NON_ASCII = /[^\0-\x7f]/;

async function writeBody(body: string | Uint8Array, response: ServerResponse, idleTimeoutMs: number): Promise<void> {
  if (body.length > MAX_SINGLE_WRITE_LENGTH) return streamBody(toStream(body), response, idleTimeoutMs);
  if (typeof body === 'string') response.end(body);
  else endWithBytes(response, body);
  // Usually the system has buffered everything already.
  if (response.writableLength > 0) await waitUntilWritten(response, 'finish', idleTimeoutMs);
}

function toStream(body: string | Uint8Array): Readable {
  return Readable.from(splitIntoChunks(body), { objectMode: false });
}

/** Yields the bytes of the body. A text is encoded chunk by chunk; no chunk ends within a surrogate pair. */
function* splitIntoChunks(body: string | Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < body.length; ) {
    let chunk =
      typeof body === 'string' ? body.slice(offset, offset + CHUNK_BYTES) : body.subarray(offset, offset + CHUNK_BYTES);
    if (typeof chunk === 'string' && offset + CHUNK_BYTES < body.length && endsInHighSurrogate(chunk))
      chunk = chunk.slice(0, -1);
    offset += chunk.length;
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
}

async function streamBody(source: Readable, response: ServerResponse, idleTimeoutMs: number): Promise<void> {
  await pipeChunks(source, response, idleTimeoutMs);
  await finishResponse(response, idleTimeoutMs);
}

/** Pipes the source to the response. A client that disconnects destroys the source immediately, even while it is silent. */
async function pipeChunks(source: Readable, response: ServerResponse, idleTimeoutMs: number): Promise<void> {
  const destroySource = () => void source.destroy();
  response.on('error', destroySource);
  response.on('close', destroySource);
  if (response.destroyed) destroySource();
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    if (!response.write(chunk)) await waitUntilWritten(response, 'drain', idleTimeoutMs);
  }
}

async function finishResponse(response: ServerResponse, idleTimeoutMs: number): Promise<void> {
  response.end();
  if (response.writableLength > 0) await waitUntilWritten(response, 'finish', idleTimeoutMs);
}

/** Error for a client that has disconnected or has stopped reading. */
class ClientNotReading extends Error {}

/** Resolves when the buffered data has been sent. Rejects when the client disconnects, or does not read for too long. */
function waitUntilWritten(response: ServerResponse, event: 'drain' | 'finish', idleTimeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      response.off(event, onWritten);
      response.off('close', onClose);
      outcome();
    };
    const onWritten = () => settle(resolve);
    const onClose = () => settle(() => reject(new ClientNotReading()));
    const timer = setTimeout(() => settle(() => reject(new ClientNotReading())), idleTimeoutMs);
    response.on(event, onWritten);
    response.on('close', onClose);
    if (response.destroyed) onClose();
  });
}

/** Returns the headers as alternating names and values, the form that Node writes fastest. */
function createHeaderLines(request: IncomingRequest, { status, headers, body }: OutgoingResponse, now: Date): string[] {
  const lines: string[] = [];
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === 'string') lines.push(name, value);
    else for (const item of value) lines.push(name, item);
  }
  lines.push('X-Request-Id', request.id, 'Date', formatHttpDate(now));
  for (const name in GENERAL_HEADERS) if (headers[name] === undefined) lines.push(name, GENERAL_HEADERS[name]!);
  const corsHeaders = getCorsHeaders(request);
  for (const name in corsHeaders) lines.push(name, corsHeaders[name]!);
  if (headers['Content-Length'] !== undefined) return lines;
  if (typeof body === 'string' || body instanceof Uint8Array) {
    lines.push('Content-Length', String(Buffer.byteLength(body)));
  } else if (body === undefined && status !== 204 && status !== 304 && request.method !== 'HEAD') {
    lines.push('Content-Length', '0');
  }
  return lines;
}

let cachedDate = { second: -1, date: '' };

/** Returns the Date header, which is formatted once per second, because formatting costs as much as routing. */
function formatHttpDate(now: Date): string {
  const second = Math.floor(now.getTime() / 1000);
  if (cachedDate.second !== second) cachedDate = { second, date: now.toUTCString() };
  return cachedDate.date;
}

const GENERAL_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  Vary: 'Origin',
};

/** Ends the response with bytes. Small bodies are copied to a string, because Node sends a string with the headers in one write. */
function endWithBytes(response: ServerResponse, body: Uint8Array): void {
  if (body.byteLength > MAX_COPIED_BYTES) response.end(body);
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'), 'latin1');
}

/** Maximum size of a body that is copied to a string. */
const MAX_COPIED_BYTES = 16_384;
