import { createReadStream } from 'node:fs';
import { type BlobStore, linkBlob, storeBlob } from '../blobs/index.ts';
import type { Database } from '../database/database.ts';
import { lfsPaths } from '../git/attributes.ts';
import type { Git } from '../git/git.ts';
import { formatPointer, parsePointer } from '../git/lfs-pointer.ts';
import { isRefused } from '../refused.ts';
import { isLfsOn, linkObject, unlinkedOids } from './lfs-objects.ts';
import type { NewBytes } from './new-content.ts';
import { type Placed, repositoryOf } from './repository.ts';

/** File contents that `.gitattributes` gives to LFS: the bytes become an object of the project, the pointer is committed. */

export interface LfsRooms {
  readonly database: Database;
  readonly git: Git;
  readonly blobs: BlobStore;
}

export interface LfsProject extends Placed {
  readonly id: number;
  readonly namespace_id: number;
  readonly lfs_enabled: boolean;
}

export interface NewContent {
  readonly path: string;
  readonly content: NewBytes;
}

/** The contents as they are committed on top of `parent`, in the same order. */
export async function throughLfs(
  rooms: LfsRooms,
  project: LfsProject,
  parent: string | null,
  contents: readonly NewContent[],
): Promise<NewBytes[]> {
  const plain = contents.map(({ content }) => content);
  if (parent === null || !(await isLfsOn(rooms.database.reader, project))) return plain;
  const paths = contents.map(({ path }) => path);
  const tracked = await lfsPaths(rooms.git, repositoryOf(rooms.git, project), parent, paths);
  if (tracked.size === 0) return plain;
  return Promise.all(
    contents.map(({ path, content }) => (tracked.has(path) ? toObject(rooms, project, content) : content)),
  );
}

/** A pointer that is sent as content stays what it is. */
async function toObject({ database, blobs }: LfsRooms, project: LfsProject, content: NewBytes): Promise<Buffer> {
  if (Buffer.isBuffer(content) && parsePointer(content) !== null) return content;
  const stored = await storeBlob(blobs, Buffer.isBuffer(content) ? content : createReadStream(content.file));
  if (isRefused(stored)) throw new Error(`LFS content could not be stored: ${stored.code}`);
  await database.transaction(async (tx) => {
    await linkBlob(tx, stored);
    await linkObject(tx, project.id, { oid: stored.sha256, size: stored.size });
  });
  return formatPointer({ oid: stored.sha256, size: stored.size });
}

/** Do these contents point to objects that the project doesn't have? */
export async function pointsNowhere(
  database: Database,
  project: LfsProject,
  contents: readonly NewBytes[],
): Promise<boolean> {
  const oids = contents.flatMap((content) => (Buffer.isBuffer(content) ? (parsePointer(content)?.oid ?? []) : []));
  if (oids.length === 0 || !(await isLfsOn(database.reader, project))) return false;
  return (await unlinkedOids(database.reader, project.id, oids)).length > 0;
}
