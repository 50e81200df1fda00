import { defineJob } from '../../../background/job.ts';
import { storeBlob } from '../../../blobs/index.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { isRefused } from '../../../refused.ts';
import { traceOf } from './read.ts';
import { readEndedTrace, replaceChunks } from './store.ts';

/** Makes one file of the log of a job that has ended, whose runner has sent it in pieces. */
export const putTraceTogether = defineJob({
  kind: 'put_trace_together',
  async handle({ database, blobs, secretKey }: Rooms, { jobId }: { jobId: number }) {
    const job = await readEndedTrace(database.reader, jobId);
    if (job === null) return;
    const source = traceOf({ database, blobs, secretKey }, jobId);
    const stored = await storeBlob(blobs, source).finally(() => source.destroy());
    // It has been erased meanwhile.
    if (isRefused(stored) || stored.size !== job.trace_size) return;
    await database.transaction((tx) => replaceChunks(tx, { id: jobId, project_id: job.project_id }, stored));
  },
});
