import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import { registerBlob, type StoredBlob } from '#blobs/store.ts';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { loadJobOptions } from '#domain/jobs.ts';

/** A chunk of a log; `start` and `size` in bytes. */
export type TraceChunk = Columns<'job_trace_chunks', 'start' | 'size' | 'sha256'>;

/**
 * The state of a log after an append. The last bytes are held back while they may be the start of a secret, which would have to be
 * masked.
 */
export interface TraceState {
  /** Bytes, including those held back. */
  readonly size: number;
  /** The bytes held back, encrypted. */
  readonly encryptedHeldBytes: string | null;
  /** CRC-32 of the bytes that the runner sent; null if it is unknown. */
  readonly checksum: number | null;
}

/**
 * Sets the new state of a running job's log if its length is still `start` (compare-and-set). Returns whether it was
 * set: of several concurrent appends, one succeeds.
 */
export async function advanceTrace(
  tx: Transaction,
  jobId: number,
  start: number,
  { size, encryptedHeldBytes, checksum }: TraceState,
): Promise<boolean> {
  const updateResult = await tx
    .updateTable('jobs')
    .set({ trace_size: size, trace_held: encryptedHeldBytes, trace_checksum: checksum, last_seen_at: tx.now })
    .where('id', '=', jobId)
    .where('trace_size', '=', start)
    .where('status', 'in', RUNNING_JOB_STATUSES)
    .executeTakeFirst();
  return updateResult.numUpdatedRows === 1n;
}

/** Restricts the log of a job to Developers. index: jobs primary key */
export async function enableDebugMode(tx: Transaction, jobId: number): Promise<void> {
  await tx.updateTable('jobs').set({ debug_mode: true }).where('id', '=', jobId).execute();
}

/** Inserts a chunk and links its blob. */
export async function insertChunk(tx: Transaction, jobId: number, chunk: TraceChunk): Promise<void> {
  await registerBlob(tx, chunk);
  await tx
    .insertInto('job_trace_chunks')
    .values({ job_id: jobId, ...chunk })
    .execute();
}

/** Maximum number of chunks per query; a log may have very many. */
const CHUNK_BATCH_SIZE = 200;

/**
 * Returns the next batch of a log's chunks in order, from the chunk that contains this offset.
 * index: job_trace_chunks_pkey
 */
export async function listChunks(db: Reader, jobId: number, offset: number): Promise<TraceChunk[]> {
  const chunkStart = db
    .selectFrom('job_trace_chunks')
    .select(({ fn }) => fn.coalesce(fn.max('start'), sql<number>`0`).as('start'))
    .where('job_id', '=', jobId)
    .where('start', '<=', offset);
  return db
    .selectFrom('job_trace_chunks')
    .select(['start', 'size', 'sha256'])
    .where('job_id', '=', jobId)
    .where('start', '>=', chunkStart)
    .where(sql<SqlBool>`start + size > ${offset}`)
    .orderBy('start')
    .limit(CHUNK_BATCH_SIZE)
    .execute();
}

/** Chunks below this size are small. */
const SMALL_CHUNK_BYTES = 64 * 1024;

/** Minimum number of small chunks at the end of a log that is worth joining; at most ten times as many are joined at once. */
const MIN_JOINED_CHUNKS = 100;

// index: job_trace_chunks_pkey
const getLastChunkStats = prepare((db, value: Params<{ jobId: number }>) =>
  db
    .selectFrom(
      db
        .selectFrom('job_trace_chunks')
        .select('size')
        .where('job_id', '=', value('jobId'))
        .orderBy('start', 'desc')
        .limit(sql.lit(MIN_JOINED_CHUNKS))
        .as('last_chunks'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('size').as('largest')]),
);

/** Returns whether the last `MIN_JOINED_CHUNKS` chunks of the log are all small, so that they should be joined. */
export async function endsInSmallChunks(db: Reader, jobId: number): Promise<boolean> {
  const stats = await getLastChunkStats.first(db, { jobId });
  return Number(stats?.count) === MIN_JOINED_CHUNKS && Number(stats?.largest) < SMALL_CHUNK_BYTES;
}

/** Returns the small chunks at the end of a log, in order. index: job_trace_chunks_pkey */
export async function listLastSmallChunks(db: Reader, jobId: number): Promise<TraceChunk[]> {
  const newestFirst = await db
    .selectFrom('job_trace_chunks')
    .select(['start', 'size', 'sha256'])
    .where('job_id', '=', jobId)
    .orderBy('start', 'desc')
    .limit(10 * MIN_JOINED_CHUNKS)
    .execute();
  const largeIndex = newestFirst.findIndex(({ size }) => size >= SMALL_CHUNK_BYTES);
  return (largeIndex < 0 ? newestFirst : newestFirst.slice(0, largeIndex)).toReversed();
}

/**
 * Replaces these consecutive chunks of a log by one blob. Does nothing if the job has ended or the chunks have changed.
 */
export async function joinChunks(
  tx: Transaction,
  jobId: number,
  chunks: readonly TraceChunk[],
  blob: StoredBlob,
): Promise<void> {
  const [{ start: firstStart }, { start: lastStart }] = [chunks[0]!, chunks.at(-1)!];
  // Locks the job's row: a transaction that ends the job waits, or has committed before.
  const lockResult = await tx
    .updateTable('jobs')
    .set((eb) => ({ trace_size: eb.ref('trace_size') }))
    .where('id', '=', jobId)
    .where('status', 'in', RUNNING_JOB_STATUSES)
    .executeTakeFirst();
  if (lockResult.numUpdatedRows === 0n) return;
  // index: job_trace_chunks_pkey
  const isJoinedChunk = (eb: ExpressionBuilder<Schema, 'job_trace_chunks'>) =>
    eb.and([eb('job_id', '=', jobId), eb('start', '>=', firstStart), eb('start', '<=', lastStart)]);
  const existingChunks = await tx
    .selectFrom('job_trace_chunks')
    .select('sha256')
    .where(isJoinedChunk)
    .orderBy('start')
    .execute();
  if (
    existingChunks.length !== chunks.length ||
    existingChunks.some(({ sha256 }, index) => sha256 !== chunks[index]!.sha256)
  )
    return;
  await tx.deleteFrom('job_trace_chunks').where(isJoinedChunk).execute();
  await insertChunk(tx, jobId, { start: firstStart, ...blob });
}

/** How far the log of a job has been stored. */
interface TraceProgress {
  /** Whether the job is no longer running, so that the log is complete. */
  readonly hasEnded: boolean;
  /** Bytes, including those held back. */
  readonly size: number;
  /** The bytes held back, encrypted. */
  readonly encryptedHeldBytes: string | null;
  /** The assembled log; null before it is assembled. */
  readonly completeBlob: StoredBlob | null;
}

// index: jobs primary key, job_artifacts_by_job
const selectTraceProgress = prepare((db, value: Params<{ id: number }>) =>
  db
    .selectFrom('jobs')
    .leftJoin('job_artifacts', (join) =>
      join.onRef('job_artifacts.job_id', '=', 'jobs.id').on('job_artifacts.file_type', '=', 'trace'),
    )
    .select(['jobs.status', 'jobs.trace_size', 'jobs.trace_held', 'job_artifacts.sha256', 'job_artifacts.size'])
    .where('jobs.id', '=', value('id')),
);

/** Returns how far the log of a job has been stored, or null if there is no such job. */
export async function findTraceProgress(db: Reader, jobId: number): Promise<TraceProgress | null> {
  const row = await selectTraceProgress.first(db, { id: jobId });
  if (row === undefined) return null;
  const { sha256, size } = row;
  return {
    hasEnded: !RUNNING_JOB_STATUSES.includes(row.status),
    size: row.trace_size,
    encryptedHeldBytes: row.trace_held,
    completeBlob: sha256 === null || size === null ? null : { sha256, size },
  };
}

/** The log of a finished job. */
interface FinishedTrace {
  readonly project_id: number;
  /** Bytes. */
  readonly trace_size: number;
  /** The regular expression for the coverage; null if there is none. */
  readonly coverage: string | null;
}

/** Returns the log of a finished job, to be assembled, or null if there is no log. index: jobs primary key */
export async function findFinishedTrace(db: Reader, jobId: number): Promise<FinishedTrace | null> {
  const row = await db
    .selectFrom('jobs')
    .select(['project_id', 'trace_size'])
    .where('id', '=', jobId)
    .where('status', 'not in', RUNNING_JOB_STATUSES)
    .where('trace_size', '>', 0)
    .executeTakeFirst();
  if (row === undefined) return null;
  const options = await loadJobOptions<{ readonly coverage: string | null }>(db, [jobId], ['coverage']);
  return { ...row, coverage: options.get(jobId)?.coverage ?? null };
}

/**
 * Replaces the chunks of a log and the bytes held back by one blob, and stores the coverage. Does nothing if the log
 * was erased meanwhile.
 */
export async function replaceChunks(
  tx: Transaction,
  job: { readonly id: number; readonly project_id: number; readonly coverage: number | null },
  blob: StoredBlob,
): Promise<void> {
  const updateResult = await tx
    .updateTable('jobs')
    .set({ trace_held: null, ...(job.coverage !== null && { coverage: job.coverage }) })
    .where('id', '=', job.id)
    .where('trace_size', '=', blob.size)
    .executeTakeFirst();
  if (updateResult.numUpdatedRows === 0n) return;
  await tx.deleteFrom('job_trace_chunks').where('job_id', '=', job.id).execute();
  await registerBlob(tx, blob);
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
    // On a conflict, another process has already stored the assembled log.
    .onConflict((conflict) => conflict.columns(['job_id', 'file_type']).doNothing())
    .execute();
}

/** Returns when a user last read the log, or null. index: jobs primary key */
export async function findLastWatchedAt(db: Reader, jobId: number): Promise<string | null> {
  const row = await db.selectFrom('jobs').select('trace_watched_at').where('id', '=', jobId).executeTakeFirst();
  return row?.trace_watched_at ?? null;
}

/** Sets when a user last read the log to now. index: jobs primary key */
export async function updateWatchedAt(tx: Transaction, jobId: number): Promise<void> {
  await tx.updateTable('jobs').set({ trace_watched_at: tx.now }).where('id', '=', jobId).execute();
}
