import { createHash } from 'node:crypto';
import { mkdir, statfs } from 'node:fs/promises';
import { type BlobStore, hasBlob, openBlob, storeBlob } from '#blobs/store.ts';
import { isFailure } from '#runtime/failure.ts';
import { PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import type { RemoteReplicable } from '../primary/schemas.ts';

/** Maximum size of a file of unknown size, in bytes. */
const MAX_BLOB_BYTES = 5 * 1024 ** 3;

/** Bytes that a copy leaves free in the file system. */
const RESERVED_BYTES = 256 * 1024 ** 2;

/**
 * Copies a file and stores it only if it matches the primary's checksum; `forceDownload`: even if it exists. Returns false if it
 * is gone. Rejects with `PrimaryFailure`.
 */
export async function copyBlob(
  blobs: BlobStore,
  primary: Primary,
  { replicable_name, replicable_id, size }: RemoteReplicable,
  { sha256, forceDownload }: { readonly sha256: string; readonly forceDownload: boolean },
): Promise<boolean> {
  if (!forceDownload && (await hasBlob(blobs, sha256))) return true;
  const maxBytes = Math.min(size ?? MAX_BLOB_BYTES, await getFreeBytes(blobs));
  if (size !== null && size > maxBytes) {
    throw new PrimaryFailure('denied', `A file of ${size} bytes does not fit: ${maxBytes} bytes are free`);
  }
  const content = await primary.openBlob(replicable_name, replicable_id, maxBytes);
  if (content === null) return false;
  try {
    const sizeLimits = size === null ? { maxBytes } : { expectedSize: size };
    const storedBlob = await storeBlob(blobs, content, { ...sizeLimits, expectedSha256: sha256 });
    if (isFailure(storedBlob))
      throw new PrimaryFailure('invalid-response', 'The file does not match size or checksum of the primary');
    return true;
  } finally {
    content.destroy();
  }
}

async function getFreeBytes({ directory }: BlobStore): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(directory);
  return Math.max(0, bavail * bsize - RESERVED_BYTES);
}

/** Returns the SHA-256 of the stored file; null if it does not exist. */
export async function computeBlobChecksum(blobs: BlobStore, sha256: string): Promise<string | null> {
  const blob = await openBlob(blobs, sha256);
  if (blob === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
