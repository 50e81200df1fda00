import { openBlob } from '#blobs/store.ts';
import type { Reader } from '#database/database.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { formatContentDisposition } from '#repositories/raw-content.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { hasExpired } from '../jobs/index.ts';
import { type Artifact, findArtifact } from './store.ts';

/**
 * Returns the archive of a job, or null if it has none or the archive has expired. An expired archive stays available
 * while the project keeps the latest artifacts of its ref.
 */
export async function findAvailableArchive(db: Reader, jobId: number, now: string): Promise<Artifact | null> {
  const archive = await findArtifact(db, jobId, 'archive');
  return archive === null || (await hasExpired(db, jobId, archive.expire_at, now)) ? null : archive;
}

declare const allowed: unique symbol;

/**
 * An archive that the caller may download. Only `access.ts` creates this type, so that no archive is sent without a
 * check.
 */
export type AuthorizedArchive = Artifact & { readonly [allowed]: true };

/** Streams the archive to the client; fails with `archiveNotFound` if its content no longer exists. */
export async function sendArchive(
  { blobs }: Pick<Services, 'blobs'>,
  archive: AuthorizedArchive,
): Promise<StreamReply | Failure<'archiveNotFound'>> {
  const blob = await openBlob(blobs, archive.sha256);
  if (blob === null) return fail('archiveNotFound');
  return {
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(blob.size),
      'Content-Disposition': formatContentDisposition('attachment', archive.filename),
      'Cache-Control': 'private, no-store',
    },
    body: blob.stream,
  };
}
