import { Readable } from 'node:stream';
import { openBlob } from '#blobs/index.ts';
import type { Services } from '#http/services.ts';
import { decryptPartialSecret } from './partial-secret.ts';
import { findTraceEnd, listChunks } from './store.ts';

type TraceServices = Pick<Services, 'database' | 'blobs' | 'secretKey'>;

/**
 * Streams the current log of a job in chunks, as fast as the client reads; empty if there is none. For a running job, a
 * possible start of a secret at the end is left out.
 */
export function streamTrace(services: TraceServices, jobId: number): Readable {
  return Readable.from(iterateTrace(services, jobId), { objectMode: false });
}

/** The log may grow, and its chunks may be joined, while it is read. Bytes already sent are not read again. */
async function* iterateTrace(services: TraceServices, jobId: number): AsyncGenerator<Buffer> {
  const { reader } = services.database;
  for (let at = 0, isRetry = false; ; ) {
    // Read the state before the chunks, so that all chunks up to its size exist.
    const end = await findTraceEnd(reader, jobId);
    if (end === null) return;
    if (end.completeBlob !== null) {
      if (end.completeBlob.size > at) yield* streamBlob(services, end.completeBlob.sha256, at);
      return;
    }
    const chunks = await listChunks(reader, jobId, at);
    for (const { start, size, sha256 } of chunks) {
      if (start > at) throw gapError(jobId, at);
      // The chunk may have been joined with chunks already sent.
      yield* streamBlob(services, sha256, at - start);
      at = start + size;
    }
    const heldBytes = await decryptPartialSecret(services, jobId, end.held);
    const inChunks = end.size - heldBytes.length;
    if (at === inChunks && end.hasEnded && heldBytes.length > 0) yield heldBytes;
    if (at >= inChunks) return;
    // There are more chunks, or the log has just been assembled or erased.
    if (chunks.length === 0 && isRetry) throw gapError(jobId, at);
    isRetry = chunks.length === 0;
  }
}

const gapError = (jobId: number, at: number) => new Error(`The log of job ${jobId} has a gap at ${at}`);

/** Reads a blob of a log from this offset on. */
export async function* streamBlob(
  { blobs }: Pick<Services, 'blobs'>,
  sha256: string,
  start: number,
): AsyncGenerator<Buffer> {
  const blob = await openBlob(blobs, sha256, { start, end: Number.MAX_SAFE_INTEGER });
  if (blob === null) throw new Error(`The content ${sha256} of a log is not there`);
  yield* blob.stream as AsyncIterable<Buffer>;
}
