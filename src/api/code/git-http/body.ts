import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Incoming, single } from '../../../http/request/incoming.ts';

/** What a git client sends, decoded: large requests come gzipped. */
export function bodyOf(request: Incoming): Readable {
  const encoding = single(request.headers['content-encoding']);
  return encoding === 'gzip' || encoding === 'x-gzip' ? gunzipped(request.stream) : request.stream;
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
