import type { Database } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { getRateLimitWindow, incrementCount } from './window-counters.ts';

/** Limit of one caller for one action (contract/conventions.md §8 "Application limits"). */
interface ApplicationLimit {
  readonly name: string;
  /** The caller or object that is counted. */
  readonly subject: number | string;
  /** Maximum number of requests per period; 0: no limit. */
  readonly limit: number;
  readonly periodSeconds: number;
}

/**
 * Counts this request across all processes. Fails with `tooMany` and `seconds` if it exceeds the limit. Periods are
 * fixed windows.
 */
export async function checkApplicationLimit(
  database: Database,
  limit: ApplicationLimit,
): Promise<Failure<'tooMany'> | null> {
  if (limit.limit === 0) return null;
  const { name, subject, periodSeconds } = limit;
  const count = await database.transaction(
    (tx) => incrementCount(tx, getRateLimitWindow(new Date(tx.now), `${name}:${subject}`, periodSeconds)),
    { isolation: 'read committed' },
  );
  return count > limit.limit ? fail('tooMany', { seconds: periodSeconds }) : null;
}

/** Minimum size of a large blob, in bytes. */
const LARGE_BLOB_SIZE = 10_485_760;

/** Maximum bytes of a blob in JSON. Larger blobs can only be downloaded raw. */
const MAX_JSON_BLOB_SIZE = 314_572_800;

/**
 * Counts a read of a blob as JSON (contract/repository.md §1 GET, §4); raw downloads are cheap. Returns a failure for the sixth large
 * blob of a project within a minute.
 */
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
