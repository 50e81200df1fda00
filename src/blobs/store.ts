import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Transaction } from '#database/database.ts';
import type { Clock } from '#runtime/clock.ts';
import { type Failure, fail, hasErrorCode, isFailure } from '#runtime/failure.ts';
import { openRegularFile } from '#runtime/regular-file.ts';

/**
 * Files named by the SHA-256 of their content, in `<directory>/ab/cd/<sha256>`. Existing files are complete and durable, for all
 * processes that share the directory. The modification time is the last time of storing; the cleanup leaves an hour from then
 * to link the file.
 */
export interface BlobStore {
  readonly directory: string;
  readonly clock: Clock;
}

export interface StoredBlob {
  /** 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Conditions on the content; if one fails, nothing is stored. */
export interface BlobLimits {
  readonly expectedSha256?: string;
  readonly expectedSize?: number;
  readonly maxBytes?: number;
}

/** Why content was not stored: `tooLarge` has the value `maxBytes`, `wrongDigest` and `wrongSize` have `expected`. */
export type BlobFailure = Failure<'tooLarge' | 'wrongDigest' | 'wrongSize'>;

/** The first and last byte, inclusive, from 0. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

interface OpenBlob {
  /** Size of the whole blob in bytes, regardless of the range. */
  readonly size: number;
  /** Must be read to its end or destroyed. */
  readonly stream: Readable;
}

export function createBlobStore({ directory, clock }: BlobStore): BlobStore {
  return { directory, clock };
}

/**
 * Streams the content to disk and hashes it; it is durable when the promise resolves. The caller must link it within an hour
 * (`registerBlob`). Returns a Failure at the first byte too many: the caller must then drain or destroy the rest of the stream.
 * Rejects if the source or the disk fails.
 */
export async function storeBlob(
  blobs: BlobStore,
  source: Readable | Buffer,
  limits: BlobLimits = {},
): Promise<StoredBlob | BlobFailure> {
  const draft = await createDraftPath(blobs);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      const result = await writeContent(file, source, limits);
      if (isFailure(result)) return result;
      const now = blobs.clock.now();
      await file.utimes(now, now);
      await file.sync();
      // Replaces existing content too, which renews the hour in which it must be linked.
      await moveIntoPlace(blobs, draft, result.sha256);
      return result;
    } finally {
      await file.close();
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns whether the content exists. */
export async function hasBlob(blobs: BlobStore, sha256: string): Promise<boolean> {
  return (await nullIfMissing(() => stat(getBlobPath(blobs, sha256)))) !== null;
}

/** Deletes content that nothing refers to and that the cleanup cannot know of. Missing content is ignored. */
export async function deleteBlob(blobs: BlobStore, sha256: string): Promise<void> {
  await rm(getBlobPath(blobs, sha256), { force: true });
}

/** Opens the content, or a range of it. Returns null if it does not exist or is not a regular file. */
export async function openBlob(blobs: BlobStore, sha256: string, range?: ByteRange): Promise<OpenBlob | null> {
  const file = await nullIfMissing(() => openRegularFile(getBlobPath(blobs, sha256)));
  if (!file) return null;
  const { size } = await file.stat();
  if (size === 0 || (range && range.start > range.end)) {
    await file.close();
    return { size, stream: Readable.from([]) };
  }
  return { size, stream: file.createReadStream(range ? { start: range.start, end: range.end } : {}) };
}

/** Returns the path of a blob's file. Throws if the name is not a SHA-256, which prevents path traversal. */
export function getBlobPath(blobs: BlobStore, sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('A blob is named by 64 hexadecimal digits');
  return join(blobs.directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}

/** Returns the directory of files that are being written or deleted. */
export function getDraftsDirectory(blobs: BlobStore): string {
  return join(blobs.directory, 'drafts');
}

/** Returns a new path in the drafts directory, which is created if needed. */
export async function createDraftPath(blobs: BlobStore): Promise<string> {
  await mkdir(getDraftsDirectory(blobs), { recursive: true, mode: 0o700 });
  return join(getDraftsDirectory(blobs), randomUUID());
}

/** Returns the result of `work`, or null if its file does not exist. */
export async function nullIfMissing<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function writeContent(
  file: FileHandle,
  source: Readable | Buffer,
  limits: BlobLimits,
): Promise<StoredBlob | BlobFailure> {
  const { expectedSha256, expectedSize, maxBytes = Number.POSITIVE_INFINITY } = limits;
  const chunks = source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : [source];
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return fail('tooLarge', { maxBytes });
    if (expectedSize !== undefined && size > expectedSize) return fail('wrongSize', { expected: expectedSize });
    hash.update(chunk);
    await writeAll(file, chunk);
  }
  const sha256 = hash.digest('hex');
  if (expectedSize !== undefined && size !== expectedSize) return fail('wrongSize', { expected: expectedSize });
  if (expectedSha256 !== undefined && sha256 !== expectedSha256.toLowerCase())
    return fail('wrongDigest', { expected: expectedSha256 });
  return { sha256, size };
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let writtenBytes = 0; writtenBytes < chunk.length; )
    writtenBytes += (await file.write(chunk, writtenBytes)).bytesWritten;
}

/** Renames the draft into place and syncs all directories that the rename or the new directories changed. */
async function moveIntoPlace(blobs: BlobStore, draft: string, sha256: string): Promise<void> {
  const path = getBlobPath(blobs, sha256);
  const directory = dirname(path);
  const createdDirectory = await mkdir(directory, { recursive: true, mode: 0o700 });
  await rename(draft, path);
  await syncDirectory(directory);
  if (createdDirectory === undefined) return;
  for (let parent = dirname(directory); parent.startsWith(blobs.directory); parent = dirname(parent))
    await syncDirectory(parent);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}

/**
 * Creates the row of a stored blob, or renews its `linked_at`. Call it in the transaction that inserts the referring
 * row, before that row: its `sha256` column is a foreign key to `blobs.sha256`.
 */
export async function registerBlob(tx: Transaction, { sha256, size }: StoredBlob): Promise<void> {
  await tx
    .insertInto('blobs')
    .values({ sha256, size, linked_at: tx.now })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ linked_at: tx.now }))
    .execute();
}
