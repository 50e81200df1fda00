import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobStore, getBlobPath } from '#blobs/store.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import type { LfsFiles } from '#git/archive.ts';
import { isLfsEnabled, listLinkedOids } from '#repositories/lfs/lfs-objects.ts';

/** The LFS objects that replace pointers in one archive; `release` deletes the temporary directory. */
export interface ArchiveLfsFiles extends LfsFiles {
  release(): Promise<void>;
}

/** Returns whether LFS objects are linked to the project. index: lfs_object_projects_pkey */
export function hasLinkedLfsFiles(db: Reader, { id }: LfsProject): Promise<boolean> {
  return hasRow(db.selectFrom('lfs_object_projects').select('project_id').where('project_id', '=', id));
}

interface LfsProject {
  readonly id: number;
  readonly lfs_enabled: boolean;
  readonly namespace_id: number;
}

/** Writes the list of LFS objects linked to the project; returns undefined if LFS is off or there are none. */
export async function openArchiveLfsFiles(
  db: Reader,
  blobs: BlobStore,
  project: LfsProject,
): Promise<ArchiveLfsFiles | undefined> {
  if (!(await isLfsEnabled(db, project))) return undefined;
  const oids = await listLinkedOids(db, project.id);
  if (oids.length === 0) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'hearth-archive-'));
  await writeFile(join(directory, 'oids'), oids.map((oid) => `${oid} ${getBlobPath(blobs, oid)}\n`).join(''));
  return { directory, release: () => rm(directory, { recursive: true, force: true }) };
}
