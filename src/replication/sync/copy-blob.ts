import { createHash } from 'node:crypto';
import { type BlobStore, hasBlob, openBlob, storeBlob } from '#blobs/index.ts';
import { isFailure } from '#runtime/failure.ts';
import { PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import type { RemoteReplicable } from '../primary/schemas.ts';

/** Maximum size of a file of unknown size, in bytes. */
const MAX_BLOB_BYTES = 5 * 1024 ** 3;

/**
 * Copies a file and stores it only if it matches the primary's checksum; `anew`: even if it exists. Returns false if it
 * is gone. Rejects with `PrimaryFailure`.
 */
export async function copyBlob(
  blobs: BlobStore,
  primary: Primary,
  { replicable_name, replicable_id, size }: RemoteReplicable,
  { sha256, anew }: { readonly sha256: string; readonly anew: boolean },
): Promise<boolean> {
  if (!anew && (await hasBlob(blobs, sha256))) return true;
  const content = await primary.openBlob(replicable_name, replicable_id, size ?? MAX_BLOB_BYTES);
  if (content === null) return false;
  try {
    const expected = size === null ? { maxBytes: MAX_BLOB_BYTES } : { expectedSize: size };
    const stored = await storeBlob(blobs, content, { ...expected, expectedSha256: sha256 });
    if (isFailure(stored))
      throw new PrimaryFailure('invalid-response', 'The file does not match size or checksum of the primary');
    return true;
  } finally {
    content.destroy();
  }
}

/** Returns the SHA-256 of the stored file; null if it does not exist. */
export async function computeBlobChecksum(blobs: BlobStore, sha256: string): Promise<string | null> {
  const blob = await openBlob(blobs, sha256);
  if (blob === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
