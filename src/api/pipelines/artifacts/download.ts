import { openBlob } from '../../../blobs/index.ts';
import { timestamp } from '../../../clock.ts';
import type { Reader } from '../../../database/database.ts';
import type { StreamReply } from '../../../http/endpoint/answers.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { type Refused, refused } from '../../../refused.ts';
import { contentDisposition } from '../../../repositories/raw-content.ts';
import { hasLapsed } from '../jobs/index.ts';
import { type Artifact, findArtifact } from './store.ts';

/** The archive that a job has left, so far as it can be had still: what has expired is gone, unless the project keeps its ref's latest. */
export async function findArchive(db: Reader, jobId: number, now: string): Promise<Artifact | null> {
  const archive = await findArtifact(db, jobId, 'archive');
  return archive === null || (await hasLapsed(db, jobId, archive.expire_at, now)) ? null : archive;
}

/** It flows to the client; `none` when it can't be had. */
export async function sendArchive(
  { blobs, database, clock }: Pick<Rooms, 'blobs' | 'database' | 'clock'>,
  jobId: number,
): Promise<StreamReply | Refused<'none'>> {
  const archive = await findArchive(database.reader, jobId, timestamp(clock));
  const blob = archive && (await openBlob(blobs, archive.sha256));
  if (archive === null || blob === null) return refused('none');
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
