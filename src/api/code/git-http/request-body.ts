import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HttpError } from '#http/errors/http-error.ts';
import { createBodyStream } from '#http/request/body.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';

/**
 * Returns the decoded request body once its first bytes or its end have arrived, so that no process waits for a silent
 * client. Large requests are gzipped. A silent client gets 408, or is disconnected after the response has started.
 */
export async function startReadingGitBody(request: IncomingRequest): Promise<Readable> {
  const rawBody = createBodyStream(request);
  const encoding = firstHeader(request.headers['content-encoding']);
  const body = encoding === 'gzip' || encoding === 'x-gzip' ? gunzipBody(rawBody) : rawBody;
  await waitForFirstData(rawBody, body);
  // From here on the response may have started, so its status cannot change.
  rawBody.on('error', () => request.stream.destroy());
  return body;
}

/** Waits for the first data or the end. Rejects with an `HttpError` only; after other errors the reader finds a destroyed stream. */
function waitForFirstData(rawBody: Readable, body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    rawBody.once('error', (error: unknown) => (error instanceof HttpError ? reject(error) : resolve()));
    for (const event of ['readable', 'end', 'close'] as const) body.once(event, resolve);
    body.once('error', () => {});
    if (body.readableLength > 0 || body.destroyed) resolve();
  });
}

/**
 * Returns the decompressed body, which is destroyed when the client disconnects. Invalid gzip fails before the stream has a
 * reader; the rest of the body is then discarded, so that the client reads the response.
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
