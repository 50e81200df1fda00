import { Readable } from 'node:stream';
import { openBlob, storeBlob } from '#blobs/store.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { isFailure } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { ByteRange } from './byte-range.ts';
import { findTraceProgress, joinChunks, listChunks, listLastSmallChunks, type TraceChunk } from './store.ts';

type TraceServices = Pick<Services, 'database' | 'blobs' | 'secretKey'>;

/**
 * Streams the current log of a job in chunks, as fast as the client reads; empty if there is none. Omits a
 * possible start of a secret at the end while the job runs.
 */
export function streamTrace(services: TraceServices, jobId: number): Readable {
  return Readable.from(iterateTrace(services, jobId, 0), { objectMode: false });
}

/** Streams a range of the log that `measureTrace` has found to exist. */
export function streamTraceRange(services: TraceServices, jobId: number, { start, end }: ByteRange): Readable {
  return Readable.from(takeBytes(iterateTrace(services, jobId, start), end - start + 1), { objectMode: false });
}

/** Yields the first bytes of these chunks. */
async function* takeBytes(chunks: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  let remaining = count;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, remaining);
    remaining -= chunk.length;
    if (remaining <= 0) return;
  }
}

/** Returns how many bytes of the log users may read now, and whether the log is complete. */
export async function measureTrace(
  services: TraceServices,
  jobId: number,
): Promise<{ readonly size: number; readonly isComplete: boolean }> {
  const progress = await findTraceProgress(services.database.reader, jobId);
  if (progress === null) return { size: 0, isComplete: true };
  if (progress.completeBlob !== null) return { size: progress.completeBlob.size, isComplete: true };
  if (progress.hasEnded) return { size: progress.size, isComplete: true };
  const heldBytes = await decryptPartialSecret(services, jobId, progress.encryptedHeldBytes);
  return { size: progress.size - heldBytes.length, isComplete: false };
}

/**
 * Yields the log from this byte offset. It may grow, and its chunks may be joined, while it is read. Bytes already sent
 * are not read again.
 */
async function* iterateTrace(services: TraceServices, jobId: number, from: number): AsyncGenerator<Buffer> {
  const { reader } = services.database;
  for (let offset = from, isRetry = false; ; ) {
    // Read the state before the chunks, so that all chunks up to its size exist.
    const progress = await findTraceProgress(reader, jobId);
    if (progress === null) return;
    if (progress.completeBlob !== null) {
      if (progress.completeBlob.size > offset) yield* streamBlob(services, progress.completeBlob.sha256, offset);
      return;
    }
    const chunks = await listChunks(reader, jobId, offset);
    for (const { start, size, sha256 } of chunks) {
      if (start > offset) throw gapError(jobId, offset);
      // The chunk may have been joined with chunks already sent.
      yield* streamBlob(services, sha256, offset - start);
      offset = start + size;
    }
    const heldBytes = await decryptPartialSecret(services, jobId, progress.encryptedHeldBytes);
    const chunkedSize = progress.size - heldBytes.length;
    if (offset >= chunkedSize) {
      const unsentBytes = heldBytes.subarray(offset - chunkedSize);
      if (progress.hasEnded && unsentBytes.length > 0) yield unsentBytes;
      return;
    }
    // There are more chunks, or the log has just been assembled or erased.
    if (chunks.length === 0 && isRetry) throw gapError(jobId, offset);
    isRetry = chunks.length === 0;
  }
}

const gapError = (jobId: number, offset: number) => new Error(`The log of job ${jobId} has a gap at byte ${offset}`);

/** Streams a blob of a log from this byte offset. Throws if the blob is missing. */
async function* streamBlob({ blobs }: Pick<Services, 'blobs'>, sha256: string, start: number): AsyncGenerator<Buffer> {
  const blob = await openBlob(blobs, sha256, { start, end: Number.MAX_SAFE_INTEGER });
  if (blob === null) throw new Error(`The content ${sha256} of a log is missing`);
  yield* blob.stream as AsyncIterable<Buffer>;
}

// Encryption of the held bytes: the last bytes of a log that may be the start of a secret. Readers get them when more
// bytes arrive or the log ends. They are encrypted because almost the whole secret may be among them.

const { buildContext } = ENCRYPTED_COLUMNS.heldTraceBytes;

type KeyServices = Pick<Services, 'secretKey'>;

/** Returns the encrypted bytes, or null if there are none. */
export async function encryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  heldBytes: Buffer,
): Promise<string | null> {
  return heldBytes.length === 0
    ? null
    : encrypt(await secretKey(), heldBytes.toString('base64'), buildContext({ id: jobId }));
}

/** Decrypts the result of `encryptPartialSecret`. */
export async function decryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  encrypted: string | null,
): Promise<Buffer> {
  return encrypted === null
    ? Buffer.alloc(0)
    : Buffer.from(decrypt(await secretKey(), encrypted, buildContext({ id: jobId })), 'base64');
}

type ChunkServices = Pick<Services, 'database' | 'blobs'>;

/**
 * Joins the many small chunks at the end of a log into one, because reading thousands of chunks takes seconds each
 * time.
 */
export const joinTraceChunks = defineJob({
  kind: 'join_trace_chunks',
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
