import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type SqlBool, sql } from 'kysely';
import type { Database, Reader } from '#database/database.ts';
import { hasDeletionGuard } from '#runtime/deletion-guard.ts';
import { type BlobStore, createDraftPath, getBlobPath, getDraftsDirectory, nullIfMissing } from './store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BATCH_SIZE = 200;

/** Returns the digests among `sha256s` that rows refer to. Runs in the transaction that deletes the other blobs. */
export type FindReferencedBlobs = (db: Reader, sha256s: readonly string[]) => Promise<Iterable<string>>;

interface BlobCleanupResult {
  /** Number of blobs that no row referred to. */
  readonly unreferenced: number;
  /** Number of files that were stored but never linked. */
  readonly strays: number;
  /** Number of incomplete files of ended processes. */
  readonly drafts: number;
}

/**
 * Deletes blobs that no row refers to and that were not stored or linked within the last hour. It may run at any time,
 * during writes and in several processes at the same time. If `findReferenced` misses a table, the foreign key makes the
 * cleanup fail, so that no file is lost.
 */
export async function cleanUpBlobs(
  blobs: BlobStore,
  database: Database,
  findReferenced: FindReferencedBlobs = findReferencedBlobs,
): Promise<BlobCleanupResult> {
  return {
    unreferenced: await deleteUnreferenced(blobs, database, findReferenced),
    strays: await deleteStrays(blobs, database.reader),
    drafts: await deleteDrafts(blobs),
  };
}

async function deleteUnreferenced(
  blobs: BlobStore,
  database: Database,
  findReferenced: FindReferencedBlobs,
): Promise<number> {
  const before = timeAgo(blobs, HOUR_MS);
  let removedCount = 0;
  for (let after = ''; ; ) {
    const page = await listLinkedBefore(database.reader, before.toISOString(), after);
    if (page.length === 0) return removedCount;
    const deletedDigests = await database.transaction(async (tx) => {
      const referencedDigests = new Set(await findReferenced(tx, page));
      const unreferencedDigests = page.filter((sha256) => !referencedDigests.has(sha256));
      if (unreferencedDigests.length === 0) return [];
      const rows = await tx
        .deleteFrom('blobs')
        .where('sha256', 'in', unreferencedDigests)
        .where('linked_at', '<', before.toISOString())
        .returning('sha256')
        .execute();
      return rows.map(({ sha256 }) => sha256);
    });
    for (const sha256 of deletedDigests) await deleteFile(blobs, sha256, before);
    removedCount += deletedDigests.length;
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

async function deleteStrays(blobs: BlobStore, db: Reader): Promise<number> {
  const before = timeAgo(blobs, HOUR_MS);
  let removedCount = 0;
  for await (const sha256 of listUnlinkedFiles(blobs, db))
    if (await deleteFile(blobs, sha256, before)) removedCount += 1;
  return removedCount;
}

/** Counts the files that belong to no row and are old enough for the cleanup to delete. */
export async function countStrayBlobs(blobs: BlobStore, db: Reader): Promise<number> {
  const before = timeAgo(blobs, HOUR_MS);
  let unlinkedCount = 0;
  for await (const sha256 of listUnlinkedFiles(blobs, db)) {
    const fileStats = await nullIfMissing(() => stat(getBlobPath(blobs, sha256)));
    if (fileStats && fileStats.mtime < before) unlinkedCount += 1;
  }
  return unlinkedCount;
}

/** Yields the digests of files that have no row. */
async function* listUnlinkedFiles(blobs: BlobStore, db: Reader): AsyncGenerator<string> {
  for await (const names of listBlobNames(blobs)) {
    for (let start = 0; start < names.length; start += BATCH_SIZE) {
      const batch = names.slice(start, start + BATCH_SIZE);
      const rows = await db.selectFrom('blobs').select('sha256').where('sha256', 'in', batch).execute();
      const linkedDigests = new Set(rows.map(({ sha256 }) => sha256));
      for (const sha256 of batch) if (!linkedDigests.has(sha256)) yield sha256;
    }
  }
}

/** Yields the blob names of each directory `ab/cd`, one directory at a time. */
async function* listBlobNames(blobs: BlobStore): AsyncGenerator<string[]> {
  for (const first of await listNames(blobs.directory, /^[0-9a-f]{2}$/)) {
    for (const second of await listNames(join(blobs.directory, first), /^[0-9a-f]{2}$/))
      yield await listNames(join(blobs.directory, first, second), /^[0-9a-f]{64}$/);
  }
}

async function deleteDrafts(blobs: BlobStore): Promise<number> {
  const before = timeAgo(blobs, DAY_MS);
  let removedCount = 0;
  for (const name of await listNames(getDraftsDirectory(blobs), /./)) {
    const path = join(getDraftsDirectory(blobs), name);
    const fileStats = await nullIfMissing(() => stat(path));
    if (!fileStats || fileStats.mtime >= before) continue;
    await rm(path, { force: true });
    removedCount += 1;
  }
  return removedCount;
}

/**
 * Deletes a blob's file unless it was stored since `before`, or a backup guards the directory: then the file stays
 * unlinked for the next cleanup. The file is first moved aside and checked there: a concurrent writer then stores a new
 * one.
 */
async function deleteFile(blobs: BlobStore, sha256: string, before: Date): Promise<boolean> {
  const path = getBlobPath(blobs, sha256);
  const fileStats = await nullIfMissing(() => stat(path));
  if (!fileStats || fileStats.mtime >= before || (await hasDeletionGuard(blobs.directory, blobs.clock))) return false;
  const movedPath = await createDraftPath(blobs);
  const movedStats = await nullIfMissing(() => rename(path, movedPath).then(() => stat(movedPath)));
  if (!movedStats) return false;
  const isRecent = movedStats.mtime >= before;
  if (isRecent) {
    await link(movedPath, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  await rm(movedPath, { force: true });
  return !isRecent;
}

async function listNames(directory: string, pattern: RegExp): Promise<string[]> {
  const names = (await nullIfMissing(() => readdir(directory))) ?? [];
  return names.filter((name) => pattern.test(name)).sort();
}

function timeAgo(blobs: BlobStore, agoMs: number): Date {
  return new Date(blobs.clock.now().getTime() - agoMs);
}

/**
 * The columns of all tables that refer to blobs; each needs its own index. Add a column here to protect its blobs from the
 * cleanup. `references.test.ts` compares the list with the foreign keys.
 */
export const BLOB_REFERENCES = ['lfs_objects.oid', 'job_trace_chunks.sha256', 'job_artifacts.sha256'] as const;

const isReferenced = sql.join<SqlBool>(BLOB_REFERENCES.map(createReferenceCondition), sql` or `);

// index: lfs_objects_by_oid, job_trace_chunks_by_blob, job_artifacts_by_blob
function createReferenceCondition(column: (typeof BLOB_REFERENCES)[number]) {
  const [table] = column.split('.') as [string];
  return sql<SqlBool>`exists (select 1 from ${sql.table(table)} where ${sql.ref(column)} = blobs.sha256)`;
}

/** Returns the digests among `sha256s` whose blobs are referenced by a row of any table. */
async function findReferencedBlobs(db: Reader, sha256s: readonly string[]): Promise<string[]> {
  if (sha256s.length === 0) return [];
  const rows = await db
    .selectFrom('blobs')
    .select('sha256')
    .where('sha256', 'in', sha256s)
    .where(sql<SqlBool>`(${isReferenced})`)
    .execute();
  return rows.map(({ sha256 }) => sha256);
}
