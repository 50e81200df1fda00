import { Readable } from 'node:stream';
import { storeBlob } from '#blobs/index.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { isFailure } from '#runtime/failure.ts';
import { streamBlob } from './get.ts';
import { joinChunks, listLastSmallChunks, type TraceChunk } from './store.ts';

type ChunkServices = Pick<Services, 'database' | 'blobs'>;

/**
 * Joins the many small chunks at the end of a log into one, because reading thousands of chunks takes seconds each
 * time.
 */
export const joinTraceChunks = defineJob({
  kind: 'join_trace_pieces',
  async handle({ database, blobs }: ChunkServices, { jobId }: { jobId: number }) {
    const pieces = await listLastSmallChunks(database.reader, jobId);
    if (pieces.length < 2) return;
    const source = Readable.from(streamChunks({ blobs }, pieces), { objectMode: false });
    const stored = await storeBlob(blobs, source).finally(() => source.destroy());
    if (isFailure(stored)) return;
    await database.transaction((tx) => joinChunks(tx, jobId, pieces, stored));
  },
});

async function* streamChunks(services: Pick<Services, 'blobs'>, pieces: readonly TraceChunk[]): AsyncGenerator<Buffer> {
  for (const { sha256 } of pieces) yield* streamBlob(services, sha256, 0);
}
