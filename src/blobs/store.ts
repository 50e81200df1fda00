import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';

/**
 * Files named by the SHA-256 of their content, in `<directory>/ab/cd/<sha256>`. What is there is whole and durable, for
 * every process that has the directory. A file's time is when it was last stored or claimed; the sweep leaves an hour from then to link it.
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

/** What the content must be; else it is refused and nothing is kept. */
export interface BlobLimits {
  readonly expectedSha256?: string;
  readonly expectedSize?: number;
  readonly maxBytes?: number;
}

/** `tooLarge` has `maxBytes`; `wrongDigest` and `wrongSize` have what was `expected`. */
export type BlobRefused = Failure<'tooLarge' | 'wrongDigest' | 'wrongSize'>;

/** First and last byte, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenBlob {
  /** Bytes of the whole blob, whatever the range. */
  readonly size: number;
  /** Must be read to its end or destroyed. */
  readonly stream: Readable;
}

export function createBlobStore({ directory, clock }: BlobStore): BlobStore {
  return { directory, clock };
}

/**
 * Streams the content to disk, hashing it on the way; it is durable when this resolves. Then link it within the hour
 * (`linkBlob`). Failure at the first byte too many: the rest of a stream is left unread, for the caller to drain or
 * destroy. Rejects when the source or the disk fails.
 */
export async function storeBlob(
  blobs: BlobStore,
  source: Readable | Buffer,
  limits: BlobLimits = {},
): Promise<StoredBlob | BlobRefused> {
  const draft = await draftPath(blobs);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      const written = await write(file, source, limits);
      if (isFailure(written)) return written;
      const now = blobs.clock.now();
      await file.utimes(now, now);
      await file.sync();
      // Also when the content is there already: the same bytes, and a new hour.
      await put(blobs, draft, written.sha256);
      return written;
    } finally {
      await file.close();
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Content that is here already, for another row to link: like storing it again. null when it is not here. */
export async function claimBlob(blobs: BlobStore, sha256: string): Promise<StoredBlob | null> {
  const now = blobs.clock.now();
  const found = await present(async () => {
    await utimes(blobPath(blobs, sha256), now, now);
    return stat(blobPath(blobs, sha256));
  });
  return found && { sha256, size: found.size };
}

export async function hasBlob(blobs: BlobStore, sha256: string): Promise<boolean> {
  return (await present(() => stat(blobPath(blobs, sha256)))) !== null;
}

/** Removes content that nothing refers to, where rows do not say so to the sweep. Content that is not here is fine. */
export async function removeBlob(blobs: BlobStore, sha256: string): Promise<void> {
  await rm(blobPath(blobs, sha256), { force: true });
}

/** Opens the content, or the part of it that the range names; null when it is not here. */
export async function openBlob(blobs: BlobStore, sha256: string, range?: ByteRange): Promise<OpenBlob | null> {
  const file = await present(() => open(blobPath(blobs, sha256), 'r'));
  if (!file) return null;
  const { size } = await file.stat();
  if (size === 0 || (range && range.start > range.end)) {
    await file.close();
    return { size, stream: Readable.from([]) };
  }
  return { size, stream: file.createReadStream(range ? { start: range.start, end: range.end } : {}) };
}

/** Where a blob's file is. Throws when the name is no SHA-256: it would lead elsewhere. */
export function blobPath(blobs: BlobStore, sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('A blob is named by 64 hexadecimal digits');
  return join(blobs.directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}

/** The directory of what is being written, or being swept. */
export function draftsDirectory(blobs: BlobStore): string {
  return join(blobs.directory, 'drafts');
}

/** A new name in the directory of drafts, which is made when it is not there. */
export async function draftPath(blobs: BlobStore): Promise<string> {
  await mkdir(draftsDirectory(blobs), { recursive: true, mode: 0o700 });
  return join(draftsDirectory(blobs), randomUUID());
}

/** What `work` gives, or null when its file is not there. */
export async function present<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function write(
  file: FileHandle,
  source: Readable | Buffer,
  limits: BlobLimits,
): Promise<StoredBlob | BlobRefused> {
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
  if (expectedSha256 !== undefined && sha256 !== expectedSha256.toLowerCase()) {
    return fail('wrongDigest', { expected: expectedSha256 });
  }
  return { sha256, size };
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done)).bytesWritten;
}

/** Renames the draft into place and makes the name durable, with those of directories made for it. */
async function put(blobs: BlobStore, draft: string, sha256: string): Promise<void> {
  const path = blobPath(blobs, sha256);
  const directory = dirname(path);
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  await rename(draft, path);
  await syncDirectory(directory);
  if (made === undefined) return;
  for (let parent = dirname(directory); parent.startsWith(blobs.directory); parent = dirname(parent)) {
    await syncDirectory(parent);
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}
