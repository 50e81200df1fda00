import { text } from 'node:stream/consumers';
import { openBlob, type StoredBlob, storeBlob } from '#blobs/index.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { isFailure } from '#runtime/failure.ts';
import { COVERAGE_SCAN_BYTES, findCoverage } from './coverage.ts';
import { streamTrace } from './get.ts';
import { findEndedTrace, replaceChunks } from './store.ts';

/** Background job that joins the log chunks of a finished job into one blob and reads the coverage from it. */
export const assembleTrace = defineJob({
  kind: 'put_trace_together',
  async handle(
    { database, blobs, secretKey }: Pick<Services, 'database' | 'blobs' | 'secretKey'>,
    { jobId }: { jobId: number },
  ) {
    const job = await findEndedTrace(database.reader, jobId);
    if (job === null) return;
    const source = streamTrace({ database, blobs, secretKey }, jobId);
    const storedBlob = await storeBlob(blobs, source).finally(() => source.destroy());
    // The log was erased while it was copied.
    if (isFailure(storedBlob) || storedBlob.size !== job.trace_size) return;
    const coverage = job.coverage === null ? null : await readCoverage({ blobs }, storedBlob, job.coverage);
    await database.transaction((tx) =>
      replaceChunks(tx, { id: jobId, project_id: job.project_id, coverage }, storedBlob),
    );
  },
});

/** Returns the coverage that the end of the log reports, or null. */
async function readCoverage(
  { blobs }: Pick<Services, 'blobs'>,
  log: StoredBlob,
  pattern: string,
): Promise<number | null> {
  const start = Math.max(0, log.size - COVERAGE_SCAN_BYTES);
  const openedBlob = await openBlob(blobs, log.sha256, { start, end: Number.MAX_SAFE_INTEGER });
  return openedBlob === null ? null : findCoverage(await text(openedBlob.stream), pattern);
}
