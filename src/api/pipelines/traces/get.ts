import { Readable } from 'node:stream';
import { openBlob } from '#blobs/index.ts';
import type { Services } from '#http/services.ts';
import { unseal } from './partial-secret.ts';
import { readChunks, readTraceEnd } from './store.ts';

type Keeping = Pick<Services, 'database' | 'blobs' | 'secretKey'>;

/**
 * The log of a job as it is by now, in pieces, at the pace of whoever reads; empty when there is none. Of a job that runs
 * still, what may be the beginning of a secret is not shown.
 */
export function traceOf(services: Keeping, jobId: number): Readable {
  return Readable.from(piecesOf(services, jobId), { objectMode: false });
}

/** It grows, and may be joined and put together, while it is read: what has come so far is not read again. */
async function* piecesOf(services: Keeping, jobId: number): AsyncGenerator<Buffer> {
  const { reader } = services.database;
  for (let at = 0, missed = false; ; ) {
    // Before its chunks, so that all of those are there to which it has an end.
    const end = await readTraceEnd(reader, jobId);
    if (end === null) return;
    if (end.whole !== null) {
      if (end.whole.size > at) yield* contentOf(services, end.whole.sha256, at);
      return;
    }
    const chunks = await readChunks(reader, jobId, at);
    for (const { start, size, sha256 } of chunks) {
      if (start > at) throw gapAt(jobId, at);
      // It may have been joined with what has come already.
      yield* contentOf(services, sha256, at - start);
      at = start + size;
    }
    const held = await unseal(services, jobId, end.held);
    const inChunks = end.size - held.length;
    if (at === inChunks && end.hasEnded && held.length > 0) yield held;
    if (at >= inChunks) return;
    // There are more, or they have just been put together, or erased.
    if (chunks.length === 0 && missed) throw gapAt(jobId, at);
    missed = chunks.length === 0;
  }
}

const gapAt = (jobId: number, at: number) => new Error(`The log of job ${jobId} has a gap at ${at}`);

/** What a blob of a log holds from this byte on. */
export async function* contentOf(
  { blobs }: Pick<Services, 'blobs'>,
  sha256: string,
  start: number,
): AsyncGenerator<Buffer> {
  const blob = await openBlob(blobs, sha256, { start, end: Number.MAX_SAFE_INTEGER });
  if (blob === null) throw new Error(`The content ${sha256} of a log is not there`);
  yield* blob.stream as AsyncIterable<Buffer>;
}
