import type { Database } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { checkApplicationLimit } from './application-limit.ts';

/** Limit for large blobs returned as JSON (contract/repository.md §1 GET, §4 blobs); raw downloads are cheap. */

/** Minimum size of a large blob, in bytes. */
const LARGE_BLOB_SIZE = 10_485_760;

/** Maximum bytes of a blob in JSON. Larger blobs can only be downloaded raw. */
const MAX_JSON_BLOB_SIZE = 314_572_800;

/** Counts a read of a blob as JSON; returns a failure for the sixth large blob of a project within a minute. */
export async function checkLargeBlobLimit(
  database: Database,
  projectId: number,
  size: number,
): Promise<Failure<'blobTooLarge'> | null> {
  if (size <= LARGE_BLOB_SIZE) return null;
  if (size > MAX_JSON_BLOB_SIZE) return fail('blobTooLarge');
  const limit = { name: 'large_blob', subject: projectId, limit: 5, periodSeconds: 60 };
  return (await checkApplicationLimit(database, limit)) && fail('blobTooLarge');
}

/** Response for exceeding the limit, with the path that is not limited. */
export function blobTooLargeResponse(rawPath: string) {
  const text = `The requested blob is over the threshold size of ${LARGE_BLOB_SIZE}.\nAccess this blob using '${rawPath}' to avoid this error.\n`;
  return [429, { message: { error: text } }, { 'Retry-After': '60' }] as const;
}
