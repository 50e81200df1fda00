import { Readable } from 'node:stream';
import { storeBlob } from '#blobs/index.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { isFailure } from '#runtime/failure.ts';
import { contentOf } from './get.ts';
import { joinChunks, lastPieces, type TraceChunk } from './store.ts';

type Keeping = Pick<Services, 'database' | 'blobs'>;

/**
 * Makes one chunk of the many small ones in which a runner has sent the end of a log: to read thousands of them takes
 * seconds of work, each time that somebody looks.
 */
export const joinTracePieces = defineJob({
  kind: 'join_trace_pieces',
  async handle({ database, blobs }: Keeping, { jobId }: { jobId: number }) {
    const pieces = await lastPieces(database.reader, jobId);
    if (pieces.length < 2) return;
    const source = Readable.from(contentsOf({ blobs }, pieces), { objectMode: false });
    const stored = await storeBlob(blobs, source).finally(() => source.destroy());
    if (isFailure(stored)) return;
    await database.transaction((tx) => joinChunks(tx, jobId, pieces, stored));
  },
});

async function* contentsOf(services: Pick<Services, 'blobs'>, pieces: readonly TraceChunk[]): AsyncGenerator<Buffer> {
  for (const { sha256 } of pieces) yield* contentOf(services, sha256, 0);
}
