import { Readable } from 'node:stream';
import { openBlob } from '#blobs/index.ts';
import type { Services } from '#http/services.ts';
import { decryptPartialSecret } from './partial-secret.ts';
import { findTraceEnd, listChunks } from './store.ts';

type TraceServices = Pick<Services, 'database' | 'blobs' | 'secretKey'>;

/**
 * The log of a job as it is by now, in pieces, at the pace of whoever reads; empty when there is none. Of a job that runs
 * still, what may be the beginning of a secret is not shown.
 */
export function streamTrace(services: TraceServices, jobId: number): Readable {
  return Readable.from(iterateTrace(services, jobId), { objectMode: false });
}

/** It grows, and may be joined and put together, while it is read: what has come so far is not read again. */
async function* iterateTrace(services: TraceServices, jobId: number): AsyncGenerator<Buffer> {
  const { reader } = services.database;
  for (let at = 0, missed = false; ; ) {
    // Before its chunks, so that all of those are there to which it has an end.
    const end = await findTraceEnd(reader, jobId);
    if (end === null) return;
    if (end.whole !== null) {
      if (end.whole.size > at) yield* streamBlob(services, end.whole.sha256, at);
      return;
    }
    const chunks = await listChunks(reader, jobId, at);
    for (const { start, size, sha256 } of chunks) {
      if (start > at) throw gapError(jobId, at);
      // It may have been joined with what has come already.
      yield* streamBlob(services, sha256, at - start);
      at = start + size;
    }
    const held = await decryptPartialSecret(services, jobId, end.held);
    const inChunks = end.size - held.length;
    if (at === inChunks && end.hasEnded && held.length > 0) yield held;
    if (at >= inChunks) return;
    // There are more, or they have just been put together, or erased.
    if (chunks.length === 0 && missed) throw gapError(jobId, at);
    missed = chunks.length === 0;
  }
}

const gapError = (jobId: number, at: number) => new Error(`The log of job ${jobId} has a gap at ${at}`);

/** What a blob of a log holds from this byte on. */
export async function* streamBlob(
  { blobs }: Pick<Services, 'blobs'>,
  sha256: string,
  start: number,
): AsyncGenerator<Buffer> {
  const blob = await openBlob(blobs, sha256, { start, end: Number.MAX_SAFE_INTEGER });
  if (blob === null) throw new Error(`The content ${sha256} of a log is not there`);
  yield* blob.stream as AsyncIterable<Buffer>;
}
