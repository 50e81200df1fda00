import { Readable } from 'node:stream';
import { storeBlob } from '#blobs/store.ts';
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
    const smallChunks = await listLastSmallChunks(database.reader, jobId);
    if (smallChunks.length < 2) return;
    const source = Readable.from(streamChunks({ blobs }, smallChunks), { objectMode: false });
    const storedBlob = await storeBlob(blobs, source).finally(() => source.destroy());
    if (isFailure(storedBlob)) return;
    await database.transaction((tx) => joinChunks(tx, jobId, smallChunks, storedBlob));
  },
});

async function* streamChunks(services: Pick<Services, 'blobs'>, chunks: readonly TraceChunk[]): AsyncGenerator<Buffer> {
  for (const { sha256 } of chunks) yield* streamBlob(services, sha256, 0);
}
