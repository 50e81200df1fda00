import { linkBlob, type StoredBlob } from '../../../blobs/index.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { RUNNING } from '../../../identity/job-tokens.ts';

/** A piece of a log, as its runner has sent it. */
export interface TraceChunk {
  readonly start: number;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Lets the log of a running job grow by so many bytes, if it is still as long as whoever sends them believes: of several
 * who write at once one does. Says whether it has.
 */
export async function growTrace(tx: Transaction, jobId: number, start: number, size: number): Promise<boolean> {
  const grown = await tx
    .updateTable('jobs')
    .set({ trace_size: start + size, last_seen_at: tx.now })
    .where('id', '=', jobId)
    .where('trace_size', '=', start)
    .where('status', 'in', RUNNING)
    .executeTakeFirst();
  return grown.numUpdatedRows === 1n;
}

export async function insertChunk(tx: Transaction, jobId: number, start: number, blob: StoredBlob): Promise<void> {
  await linkBlob(tx, blob);
  await tx
    .insertInto('job_trace_chunks')
    .values({ job_id: jobId, start, size: blob.size, sha256: blob.sha256 })
    .execute();
}

/** How many chunks are looked up at a time: a log may have very many. */
const BATCH = 200;

/** The next chunks of a log from this byte on, in their order. index: job_trace_chunks_pkey */
export async function readChunks(db: Reader, jobId: number, from: number): Promise<TraceChunk[]> {
  return db
    .selectFrom('job_trace_chunks')
    .select(['start', 'size', 'sha256'])
    .where('job_id', '=', jobId)
    .where('start', '>=', from)
    .orderBy('start')
    .limit(BATCH)
    .execute();
}

/** The log that has been put together; null while it has not. index: job_artifacts_by_job */
export async function readWholeTrace(db: Reader, jobId: number): Promise<StoredBlob | null> {
  const row = await db
    .selectFrom('job_artifacts')
    .select(['sha256', 'size'])
    .where('job_id', '=', jobId)
    .where('file_type', '=', 'trace')
    .executeTakeFirst();
  return row ?? null;
}

/** What there is to put together of the log of a job that has ended; null: nothing. */
export async function readEndedTrace(
  db: Reader,
  jobId: number,
): Promise<{ readonly project_id: number; readonly trace_size: number } | null> {
  const row = await db
    .selectFrom('jobs')
    .select(['project_id', 'trace_size'])
    .where('id', '=', jobId)
    .where('status', 'not in', RUNNING)
    .where('trace_size', '>', 0)
    .executeTakeFirst();
  return row ?? null;
}

/** Puts one blob in the place of a log's chunks, unless they have gone meanwhile. */
export async function replaceChunks(
  tx: Transaction,
  job: { readonly id: number; readonly project_id: number },
  blob: StoredBlob,
): Promise<void> {
  const gone = await tx.deleteFrom('job_trace_chunks').where('job_id', '=', job.id).executeTakeFirst();
  if (gone.numDeletedRows === 0n) return;
  await linkBlob(tx, blob);
  await tx
    .insertInto('job_artifacts')
    .values({
      job_id: job.id,
      project_id: job.project_id,
      file_type: 'trace',
      file_format: null,
      filename: 'job.log',
      size: blob.size,
      sha256: blob.sha256,
      accessibility: 'public',
      expire_at: null,
      created_at: tx.now,
    })
    .execute();
}
