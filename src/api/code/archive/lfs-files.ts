import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobStore, blobPath } from '#blobs/store.ts';
import type { Reader } from '#database/database.ts';
import type { LfsFiles } from '#git/archive.ts';
import { isLfsOn, linkedOids } from '#repositories/lfs/lfs-objects.ts';

/** LFS objects that one archive may hold in place of their pointers; given back when it has been sent. */
export interface LentLfsFiles extends LfsFiles {
  giveBack(): Promise<void>;
}

/** Those that are linked to the project, where LFS is on; undefined when there are none. */
export async function lendLfsFiles(
  db: Reader,
  blobs: BlobStore,
  project: { readonly id: number; readonly lfs_enabled: boolean; readonly namespace_id: number },
): Promise<LentLfsFiles | undefined> {
  if (!(await isLfsOn(db, project))) return undefined;
  const oids = await linkedOids(db, project.id);
  if (oids.length === 0) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'hearth-archive-'));
  await writeFile(join(directory, 'oids'), oids.map((oid) => `${oid} ${blobPath(blobs, oid)}\n`).join(''));
  return { directory, giveBack: () => rm(directory, { recursive: true, force: true }) };
}
