import { createHash } from 'node:crypto';
import { type BlobStore, hasBlob, openBlob, storeBlob } from '#blobs/index.ts';
import { isFailure } from '#runtime/failure.ts';
import { PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import type { Replicable } from '../primary/schemas.ts';

/** A file whose size nobody tells is not longer, in bytes. */
const LONGEST = 5 * 1024 ** 3;

/**
 * Copies a file, which is kept only when it is what the primary says that it is; `anew`: whatever is here already. False: it
 * is gone. Fails with a `PrimaryFailure`.
 */
export async function copyBlob(
  blobs: BlobStore,
  primary: Primary,
  { replicable_name, replicable_id, size }: Replicable,
  { sha256, anew }: { readonly sha256: string; readonly anew: boolean },
): Promise<boolean> {
  if (!anew && (await hasBlob(blobs, sha256))) return true;
  const content = await primary.blob(replicable_name, replicable_id, size ?? LONGEST);
  if (content === null) return false;
  try {
    const expected = size === null ? { maxBytes: LONGEST } : { expectedSize: size };
    const stored = await storeBlob(blobs, content, { ...expected, expectedSha256: sha256 });
    if (isFailure(stored)) throw new PrimaryFailure('nonsense', 'The file is not what the primary says that it is');
    return true;
  } finally {
    content.destroy();
  }
}

/** What the file holds at this moment, by its SHA-256; null: it is not there. */
export async function checksumOfBlob(blobs: BlobStore, sha256: string): Promise<string | null> {
  const blob = await openBlob(blobs, sha256);
  if (blob === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
