import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { ANONYMOUS } from '#authentication/caller.ts';
import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import { findJobByToken, recordRunnerContact } from '#authorization/job-authentication.ts';
import { type BlobFailure, storeBlob } from '#blobs/store.ts';
import { getRegistrationToken } from '#domain/runners/registration-tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AuthenticatedJob, type JobAuthentication, requireRunning } from '#http/access/job-access.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { createBodyStream, hasBody, MEBIBYTE } from '#http/request/body.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { changeJobStatus, jobsLockKey } from '../processing/index.ts';
import { decryptPartialSecret, encryptPartialSecret, joinTraceChunks } from './get.ts';
import {
  advanceTrace,
  enableDebugMode,
  endsInSmallChunks,
  insertChunk,
  type TraceChunk,
  type TraceState,
} from './store.ts';

interface AppendRequest extends JobAuthentication {
  readonly request: IncomingRequest;
  /** The offset in the log at which the request body starts. */
  readonly start: number;
  /** Whether the runner writes the log in debug mode. */
  readonly isDebugMode: boolean;
}

type AppendResult = Failure<'rangeNotSatisfiable' | 'traceTooLarge'> | { readonly size: number };

/**
 * Appends a request body to the log of a job if `start` is the current length of the log. Streams the bytes to disk
 * with secrets masked, and counts them once all are stored. Returns the new length;
 * `rangeNotSatisfiable` contains the current `Range`.
 */
export async function appendToTrace(
  services: Pick<Services, 'database' | 'blobs' | 'runUnitOfWork' | 'secretKey'>,
  { request, job, token, start, isDebugMode }: AppendRequest,
): Promise<AppendResult> {
  if (job.trace_size !== start) return fail('rangeNotSatisfiable', createRangeHeader(job.trace_size));
  const newState = hasBody(request)
    ? await storeBody(services, { request, job, token, start, isDebugMode })
    : getUnchangedState(job);
  if (isFailure(newState)) {
    await services.runUnitOfWork(
      ANONYMOUS,
      (uow) => changeJobStatus(uow, job.id, RUNNING_JOB_STATUSES, 'failed', { failure_reason: 'trace_size_exceeded' }),
      { lock: jobsLockKey(job.project_id) },
    );
    return fail('traceTooLarge');
  }
  const isAppended = await services.runUnitOfWork(ANONYMOUS, async (uow) => {
    if (!(await advanceTrace(uow, job.id, start, newState))) return false;
    // Only the first request of a log decides on debug mode (contract/runners.md §5.2).
    if (isDebugMode && start === 0) await enableDebugMode(uow, job.id);
    if (newState.chunk !== null) await addChunk(uow, job.id, newState.chunk);
    await recordRunnerContact(uow, job);
    return true;
  });
  return isAppended ? { size: newState.size } : findAppendFailure(services, job, token);
}

async function addChunk(uow: UnitOfWork, jobId: number, chunk: TraceChunk): Promise<void> {
  await insertChunk(uow, jobId, chunk);
  if (await endsInSmallChunks(uow, jobId)) await enqueue(uow, joinTraceChunks, { jobId }, { key: String(jobId) });
}

/** The new state of the log, and the chunk to add. */
interface AppendedState extends TraceState {
  readonly chunk: TraceChunk | null;
}

/** Keeps the state for a request without a body, which is only a heartbeat. */
function getUnchangedState({
  trace_size: size,
  trace_held: encryptedHeldBytes,
  trace_checksum: checksum,
}: AuthenticatedJob): AppendedState {
  return { size, encryptedHeldBytes, checksum, chunk: null };
}

/** Stores the held-back bytes and the body. Holds back bytes at the end that may be the start of a secret. */
async function storeBody(
  services: Pick<Services, 'database' | 'blobs' | 'secretKey'>,
  { request, job, token, start }: AppendRequest,
): Promise<AppendedState | BlobFailure> {
  const { reader } = services.database;
  const { ci_jobs_trace_size_limit: maxMebibytes } = await loadSettings(reader);
  const owner = { type: 'project', id: job.project_id } as const;
  const registrationToken = await getRegistrationToken(reader, await services.secretKey(), owner);
  const heldBytes = await decryptPartialSecret(services, job.id, job.trace_held);
  const masker = createSecretMasker([token, registrationToken], heldBytes);
  const receivedCounter = createChecksumCounter(job);
  const chunkStart = start - heldBytes.length;
  const maxBytes = maxMebibytes * MEBIBYTE;
  const body = createBodyStream(request);
  try {
    const maskedChunks = masker.maskChunks(receivedCounter.countChunks(body as AsyncIterable<Buffer>));
    const blob = await storeBlob(services.blobs, Readable.from(maskedChunks, { objectMode: false }), {
      maxBytes: Math.max(0, maxBytes - chunkStart),
    });
    if (isFailure(blob)) return blob;
    const size = chunkStart + blob.size + masker.heldBytes.length;
    if (size > maxBytes) return fail('tooLarge');
    const chunk = blob.size === 0 ? null : { start: chunkStart, ...blob };
    return {
      size,
      encryptedHeldBytes: await encryptPartialSecret(services, job.id, masker.heldBytes),
      checksum: receivedCounter.checksum,
      chunk,
    };
  } finally {
    body.destroy();
  }
}

/** Returns why the append failed: another request was faster, or the job has ended. */
async function findAppendFailure(
  { database }: Pick<Services, 'database'>,
  { id }: AuthenticatedJob,
  token: string,
): Promise<Failure<'rangeNotSatisfiable'>> {
  const currentJob = await findJobByToken(database.reader, id, token);
  if (currentJob === null) throw forbidden();
  requireRunning(currentJob);
  return fail('rangeNotSatisfiable', createRangeHeader(currentJob.trace_size));
}

/** Returns the mask for a secret of this length. */
function createMask(length: number): Buffer {
  return Buffer.from('[MASKED]'.padEnd(length, 'x').slice(0, length));
}

interface SecretMasker {
  /**
   * Yields the bytes with each secret replaced by a mask of the same length, even if it spans several chunks. Bytes at the end
   * that may be the start of a secret are held back until more bytes arrive.
   */
  maskChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** The bytes still held back after all chunks: a possible start of a secret. */
  readonly heldBytes: Buffer;
}

/**
 * Returns a masker for one stream. `previousHeldBytes`: bytes held back from the previous stream, which this stream
 * starts with.
 */
export function createSecretMasker(secrets: readonly string[], previousHeldBytes: Buffer): SecretMasker {
  const secretBuffers = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret));
  const maxHeldBytes = Math.max(0, ...secretBuffers.map((secret) => secret.length - 1));
  let heldBytes = previousHeldBytes;
  return {
    async *maskChunks(chunks) {
      for await (const chunk of chunks) {
        const bytes = Buffer.concat([heldBytes, chunk]);
        for (const secret of secretBuffers) maskInPlace(bytes, secret);
        const readyBytes = Math.max(0, bytes.length - maxHeldBytes);
        heldBytes = bytes.subarray(readyBytes);
        if (readyBytes > 0) yield bytes.subarray(0, readyBytes);
      }
      const remainingBytes = heldBytes;
      const partialLength = Math.max(
        0,
        ...secretBuffers.map((secret) => getPartialMatchLength(remainingBytes, secret)),
      );
      heldBytes = remainingBytes.subarray(remainingBytes.length - partialLength);
      if (remainingBytes.length > partialLength)
        yield remainingBytes.subarray(0, remainingBytes.length - partialLength);
    },
    get heldBytes() {
      return heldBytes;
    },
  };
}

/** Masks all occurrences of the secret in place. */
function maskInPlace(bytes: Buffer, secret: Buffer): void {
  const mask = createMask(secret.length);
  for (let index = bytes.indexOf(secret); index !== -1; index = bytes.indexOf(secret, index + secret.length))
    mask.copy(bytes, index);
}

/** Returns the length of the longest incomplete start of the secret at the end of the bytes. */
function getPartialMatchLength(bytes: Buffer, secret: Buffer): number {
  let length = Math.min(bytes.length, secret.length - 1);
  while (length > 0 && !bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) length--;
  return length;
}

/**
 * Returns the start offset of the header `Content-Range: start-end` (contract/runners.md §3.4), or NaN
 * if the header is invalid. Ignores everything after the start.
 */
export function parseRangeStart(header: string): number {
  const [, digits] = /^\s*(\d{1,15})(?!\d)/.exec(header) ?? [];
  return digits === undefined ? Number.NaN : Number(digits);
}

/** Returns the header that tells the runner the length of the log in bytes: the next append starts there. */
export function createRangeHeader(size: number): Readonly<Record<string, string>> {
  return { Range: `0-${size}` };
}

interface ChecksumCounter {
  /** Yields the chunks unchanged and adds them to the checksum. */
  countChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** The checksum of the whole log after all chunks; null if the checksum of the earlier part is unknown. */
  readonly checksum: number | null;
}

/** Returns a counter for the CRC-32 of a log. The checksum covers the bytes that the runner sent, before masking. */
function createChecksumCounter({
  trace_size,
  trace_checksum,
}: Pick<AuthenticatedJob, 'trace_size' | 'trace_checksum'>): ChecksumCounter {
  let checksum = trace_size === 0 ? 0 : trace_checksum;
  return {
    async *countChunks(chunks) {
      for await (const chunk of chunks) {
        if (checksum !== null) checksum = crc32(chunk, checksum);
        yield chunk;
      }
    },
    get checksum() {
      return checksum;
    },
  };
}
