import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Reader } from '#database/database.ts';
import { isHeld } from '#runtime/deletion-guard.ts';
import { referencedAmong } from './references.ts';
import { type BlobStore, blobPath, draftPath, draftsDirectory, present } from './store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BATCH_SIZE = 200;

/** Which of these blobs do rows still refer to? Asked inside the transaction that removes the others. */
export type StillReferenced = (db: Reader, sha256s: readonly string[]) => Promise<Iterable<string>>;

export interface Swept {
  /** Blobs that no row referred to any more. */
  readonly unreferenced: number;
  /** Files that no row ever named: what was stored and then not linked. */
  readonly strays: number;
  /** Files of writes that ended with their process. */
  readonly drafts: number;
}

/**
 * Removes what nothing refers to and nobody stored, claimed or linked within the last hour. May run at any time, beside
 * writers and in several processes at once. A table that `stillReferenced` forgets makes it fail by its foreign key
 * instead of losing the file.
 */
export async function sweepBlobs(
  blobs: BlobStore,
  database: Database,
  stillReferenced: StillReferenced = referencedAmong,
): Promise<Swept> {
  return {
    unreferenced: await sweepUnreferenced(blobs, database, stillReferenced),
    strays: await sweepStrays(blobs, database.reader),
    drafts: await sweepDrafts(blobs),
  };
}

async function sweepUnreferenced(
  blobs: BlobStore,
  database: Database,
  stillReferenced: StillReferenced,
): Promise<number> {
  const before = moment(blobs, HOUR_MS);
  let removed = 0;
  for (let after = ''; ; ) {
    const page = await listLinkedBefore(database.reader, before.toISOString(), after);
    if (page.length === 0) return removed;
    const gone = await database.transaction(async (tx) => {
      const kept = new Set(await stillReferenced(tx, page));
      const candidates = page.filter((sha256) => !kept.has(sha256));
      if (candidates.length === 0) return [];
      const rows = await tx
        .deleteFrom('blobs')
        .where('sha256', 'in', candidates)
        .where('linked_at', '<', before.toISOString())
        .returning('sha256')
        .execute();
      return rows.map(({ sha256 }) => sha256);
    });
    for (const sha256 of gone) await removeFile(blobs, sha256, before);
    removed += gone.length;
    after = page.at(-1)!;
  }
}

// index: blobs_pkey
async function listLinkedBefore(db: Reader, before: string, after: string): Promise<string[]> {
  const rows = await db
    .selectFrom('blobs')
    .select('sha256')
    .where('sha256', '>', after)
    .where('linked_at', '<', before)
    .orderBy('sha256')
    .limit(BATCH_SIZE)
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

async function sweepStrays(blobs: BlobStore, db: Reader): Promise<number> {
  const before = moment(blobs, HOUR_MS);
  let removed = 0;
  for await (const sha256 of unlinked(blobs, db)) if (await removeFile(blobs, sha256, before)) removed += 1;
  return removed;
}

/** How many files belong to no row and will be swept. */
export async function strayBlobs(blobs: BlobStore, db: Reader): Promise<number> {
  const before = moment(blobs, HOUR_MS);
  let strays = 0;
  for await (const sha256 of unlinked(blobs, db)) {
    const found = await present(() => stat(blobPath(blobs, sha256)));
    if (found && found.mtime < before) strays += 1;
  }
  return strays;
}

/** Files that no row names at present. */
async function* unlinked(blobs: BlobStore, db: Reader): AsyncGenerator<string> {
  for await (const names of directoriesOfBlobs(blobs)) {
    for (let from = 0; from < names.length; from += BATCH_SIZE) {
      const batch = names.slice(from, from + BATCH_SIZE);
      const rows = await db.selectFrom('blobs').select('sha256').where('sha256', 'in', batch).execute();
      const linked = new Set(rows.map(({ sha256 }) => sha256));
      for (const sha256 of batch) if (!linked.has(sha256)) yield sha256;
    }
  }
}

/** The names in each directory `ab/cd`. */
async function* directoriesOfBlobs(blobs: BlobStore): AsyncGenerator<string[]> {
  for (const first of await namesIn(blobs.directory, /^[0-9a-f]{2}$/)) {
    for (const second of await namesIn(join(blobs.directory, first), /^[0-9a-f]{2}$/)) {
      yield await namesIn(join(blobs.directory, first, second), /^[0-9a-f]{64}$/);
    }
  }
}

async function sweepDrafts(blobs: BlobStore): Promise<number> {
  const before = moment(blobs, DAY_MS);
  let removed = 0;
  for (const name of await namesIn(draftsDirectory(blobs), /./)) {
    const path = join(draftsDirectory(blobs), name);
    const found = await present(() => stat(path));
    if (!found || found.mtime >= before) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/**
 * Removes a blob's file unless it was stored or claimed since `before`, or somebody copies all of them: then the file stays
 * as a stray, for the next sweep. It is first moved away and looked at there: a
 * writer who comes between the look and the removal finds no file to claim, or puts a new one in its place.
 */
async function removeFile(blobs: BlobStore, sha256: string, before: Date): Promise<boolean> {
  const path = blobPath(blobs, sha256);
  const found = await present(() => stat(path));
  if (!found || found.mtime >= before || (await isHeld(blobs.directory, blobs.clock))) return false;
  const away = await draftPath(blobs);
  const moved = await present(() => rename(path, away).then(() => stat(away)));
  if (!moved) return false;
  const wanted = moved.mtime >= before;
  if (wanted) {
    await link(away, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  await rm(away, { force: true });
  return !wanted;
}

async function namesIn(directory: string, form: RegExp): Promise<string[]> {
  const names = (await present(() => readdir(directory))) ?? [];
  return names.filter((name) => form.test(name)).sort();
}

function moment(blobs: BlobStore, agoMs: number): Date {
  return new Date(blobs.clock.now().getTime() - agoMs);
}
