import { openBlob } from '#blobs/index.ts';
import type { Reader } from '#database/database.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { contentDisposition } from '#repositories/raw-content.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { hasLapsed } from '../jobs/index.ts';
import { type Artifact, findArtifact } from './store.ts';

/** The archive that a job has left, so far as it can be had still: what has expired is gone, unless the project keeps its ref's latest. */
export async function findArchive(db: Reader, jobId: number, now: string): Promise<Artifact | null> {
  const archive = await findArtifact(db, jobId, 'archive');
  return archive === null || (await hasLapsed(db, jobId, archive.expire_at, now)) ? null : archive;
}

declare const allowed: unique symbol;

/** An archive that whoever asks may have: `access.ts` alone gives it, so that none leaves without the question. */
export type AllowedArchive = Artifact & { readonly [allowed]: true };

/** It flows to the client; `none` when its content is gone. */
export async function sendArchive(
  { blobs }: Pick<Services, 'blobs'>,
  archive: AllowedArchive,
): Promise<StreamReply | Failure<'none'>> {
  const blob = await openBlob(blobs, archive.sha256);
  if (blob === null) return fail('none');
  return {
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(blob.size),
      'Content-Disposition': contentDisposition('attachment', archive.filename),
      'Cache-Control': 'private, no-store',
    },
    body: blob.stream,
  };
}
