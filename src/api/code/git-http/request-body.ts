import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HttpError } from '#http/errors/http-error.ts';
import { bodyStream } from '#http/request/body.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';

/**
 * Returns the decoded request body once its first bytes or its end have arrived, so that no process waits for a silent
 * client. Large requests are gzipped. A silent client gets 408, or is disconnected after the response has started.
 */
export async function startBody(request: IncomingRequest): Promise<Readable> {
  const rawBody = bodyStream(request);
  const encoding = firstHeader(request.headers['content-encoding']);
  const body = encoding === 'gzip' || encoding === 'x-gzip' ? gunzipBody(rawBody) : rawBody;
  await waitForFirstData(rawBody, body);
  // From here on the response has started: another status is impossible.
  rawBody.on('error', () => request.stream.destroy());
  return body;
}

/** Resolves for broken input too: the reader then finds a destroyed stream. */
function waitForFirstData(rawBody: Readable, body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    rawBody.once('error', (error: unknown) => (error instanceof HttpError ? reject(error) : resolve()));
    for (const event of ['readable', 'end', 'close'] as const) body.once(event, resolve);
    body.once('error', () => {});
    if (body.readableLength > 0 || body.destroyed) resolve();
  });
}

/**
 * Decompresses the body; destroyed when the client disconnects. The error handler is needed because invalid gzip fails
 * before anything reads it. The client may finish sending, so that it reads the response.
 */
export function gunzipBody(rawBody: Readable): Readable {
  const gunzip = createGunzip();
  gunzip.on('error', () => {
    rawBody.unpipe(gunzip);
    rawBody.resume();
  });
  const abort = () => {
    if (!rawBody.readableEnded) gunzip.destroy();
  };
  rawBody.on('error', abort);
  rawBody.on('close', abort);
  return rawBody.pipe(gunzip);
}
