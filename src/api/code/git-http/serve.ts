import { PassThrough, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { definePerGit, type Git } from '#git/git.ts';
import type { GitService } from '#git/transport/upload-pack.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { createBodyStream } from '#http/request/body.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import type { Log } from '#runtime/log.ts';

/** Limits git processes that serve clients, because each uses memory for as long as its client reads. */
const gitProcessSlots = definePerGit(() => createConcurrencySlots({ perNetwork: 32, total: 128 }));

/**
 * Returns the output of git as a stream, which is destroyed if git fails. Waits for a free slot and occupies it until git ends, which
 * takes as long as the client reads.
 */
export async function streamGitResponse(
  { request, git, log }: { readonly request: IncomingRequest; readonly git: Git; readonly log: Log },
  runGit: (output: PassThrough) => Promise<unknown>,
): Promise<Readable> {
  const release = await gitProcessSlots(git).take(request.clientAddress, request.client);
  const output = new PassThrough();
  output.on('error', () => undefined);
  const serving = runGit(output).catch((error: unknown) => {
    if (!request.client.isDisconnected) log.error({ request: request.id, err: error }, 'Cannot serve a git request');
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  serving.finally(release);
  return output;
}

/** Returns the headers of a ref advertisement or a result. */
export function createGitHeaders(service: GitService, kind: 'advertisement' | 'result'): Record<string, string> {
  return {
    'Content-Type': `application/x-${service}-${kind}`,
    'Cache-Control': 'no-cache',
    Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
    Pragma: 'no-cache',
  };
}

/**
 * Returns the decoded request body once its first bytes or its end have arrived, so that no git process waits for a client that
 * sends nothing. Clients compress large requests with gzip. A client that sends nothing gets 408, or is disconnected if the response
 * has started.
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

/**
 * Waits for the first data or the end. Rejects only for an `HttpError`. Other errors destroy the stream, so that its reader
 * fails.
 */
function waitForFirstData(rawBody: Readable, body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    rawBody.once('error', (error: unknown) => (error instanceof HttpError ? reject(error) : resolve()));
    for (const event of ['readable', 'end', 'close'] as const) body.once(event, resolve);
    body.once('error', () => {});
    if (body.readableLength > 0 || body.destroyed) resolve();
  });
}

/**
 * Returns the decompressed body, which is destroyed when the client disconnects. The stream fails if the data is not valid gzip. The
 * rest of the body is then discarded, because a client reads the response only after it has sent its request.
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
