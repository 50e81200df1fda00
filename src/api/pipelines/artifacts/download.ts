import { openBlob } from '../../../blobs/index.ts';
import type { Reader } from '../../../database/database.ts';
import type { StreamReply } from '../../../http/endpoint/answers.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { contentDisposition } from '../../../repositories/raw-content.ts';
import { isLatestKept } from '../jobs/index.ts';
import { type Artifact, findArtifact } from './store.ts';

/** The archive that a job has left, so far as it can be had still: what has expired is gone, unless the project keeps its ref's latest. */
export async function findArchive(db: Reader, jobId: number, now: string): Promise<Artifact | null> {
  const archive = await findArtifact(db, jobId, 'archive');
  if (archive === null || archive.expire_at === null || archive.expire_at > now) return archive;
  return (await isLatestKept(db, jobId)) ? archive : null;
}

/** It flows to the client; null when its content is not here. */
export async function sendArchive({ blobs }: Pick<Rooms, 'blobs'>, archive: Artifact): Promise<StreamReply | null> {
  const blob = await openBlob(blobs, archive.sha256);
  if (blob === null) return null;
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
