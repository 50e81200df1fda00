import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HttpError } from '#http/errors/http-error.ts';
import { flowingBody } from '#http/request/body.ts';
import { type Incoming, single } from '#http/request/incoming.ts';

/**
 * What a git client sends, decoded (large requests come gzipped), as soon as there is something to read, or its end: no
 * process waits for a client that says nothing. One that keeps silent is 408, and cut off when that comes later.
 */
export async function begunBody(request: Incoming): Promise<Readable> {
  const sent = flowingBody(request);
  const encoding = single(request.headers['content-encoding']);
  const body = encoding === 'gzip' || encoding === 'x-gzip' ? gunzipped(sent) : sent;
  await begins(sent, body);
  // From now on an answer is on its way: it is too late for another one.
  sent.on('error', () => request.stream.destroy());
  return body;
}

/** Broken input has begun too: whoever reads it finds a destroyed stream. */
function begins(sent: Readable, body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    sent.once('error', (error: unknown) => (error instanceof HttpError ? reject(error) : resolve()));
    for (const event of ['readable', 'end', 'close'] as const) body.once(event, resolve);
    body.once('error', () => {});
    if (body.readableLength > 0 || body.destroyed) resolve();
  });
}

/**
 * Broken off when the client breaks off. What is not gzip fails before anybody reads it, so the failure is heard here:
 * whoever comes to read finds a destroyed stream. The client may finish, so that it comes to hear the answer.
 */
export function gunzipped(sent: Readable): Readable {
  const gunzip = createGunzip();
  gunzip.on('error', () => {
    sent.unpipe(gunzip);
    sent.resume();
  });
  const breakOff = () => {
    if (!sent.readableEnded) gunzip.destroy();
  };
  sent.on('error', breakOff);
  sent.on('close', breakOff);
  return sent.pipe(gunzip);
}
