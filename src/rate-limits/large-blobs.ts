import type { Database } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { applicationLimit } from './application-limit.ts';

/** Blobs that are dear as JSON (contract/repository.md §1 GET, §4 blobs): read raw they cost nothing. */

/** Bytes. */
const LARGE_BLOB_SIZE = 10_485_760;

/** What cannot be one JSON text any more is read raw, or not at all. */
const LARGEST_JSON_BLOB = 314_572_800;

/** Counts this reading of a blob as JSON and refuses the sixth large one in a minute of the project. */
export async function largeBlobLimit(
  database: Database,
  projectId: number,
  size: number,
): Promise<Failure<'blobTooLarge'> | null> {
  if (size <= LARGE_BLOB_SIZE) return null;
  if (size > LARGEST_JSON_BLOB) return fail('blobTooLarge');
  const limit = { name: 'large_blob', subject: projectId, limit: 5, periodSeconds: 60 };
  return (await applicationLimit(database, limit)) && fail('blobTooLarge');
}

/** The refusal of it, which names the way that is not limited. */
export function blobTooLarge(rawPath: string) {
  const text = `The requested blob is over the threshold size of ${LARGE_BLOB_SIZE}.\nAccess this blob using '${rawPath}' to avoid this error.\n`;
  return [429, { message: { error: text } }, { 'Retry-After': '60' }] as const;
}

/** How many bytes of a blob may be read for a JSON answer. */
export const jsonBlobLimit = LARGEST_JSON_BLOB;
