import { Readable } from 'node:stream';
import type { CurrentAccess } from '#authorization/current-access.ts';
import { type StoredBlob, storeBlob } from '#blobs/store.ts';
import type { Transaction } from '#database/database.ts';
import { type FileChange, type FileContent, writeBlob } from '#git/commits/commit.ts';
import { definePerGit } from '#git/git.ts';
import { formatLfsPointer, LFS_POINTER_SIZES, type LfsPointer, parseLfsPointer } from '#git/objects/lfs-pointer.ts';
import { filterLfsPaths } from '#git/trees/attributes.ts';
import { createConcurrencyLimiter, mapConcurrently } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { ensureProjectRepository, type RefProject } from '../ref-updates/move-refs.ts';
import { getRepository } from '../repository.ts';
import type { ContentServices } from '../services.ts';
import { isLfsEnabled, linkLfsObject, listUnlinkedOids } from './lfs-objects.ts';

// Stores file contents before a commit: large content is streamed to disk, LFS-tracked content becomes an object.

interface LfsProject extends RefProject {
  readonly namespace_id: number;
  readonly lfs_enabled: boolean;
}

/** Bytes in memory, or chunks that can be read repeatedly. */
export type FileBytes = Buffer | StreamedBytes;

export interface StreamedBytes {
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

/** Limits the number of commits whose contents are stored at the same time, because each occupies the disk. */
const storeLimiter = definePerGit(() => createConcurrencyLimiter(16, { maxWaiting: 256, retryAfterSeconds: 5 }));

/** Number of contents of one commit that are stored concurrently. */
const MAX_CONCURRENT_WRITES = 8;

interface StoredContents {
  readonly changes: FileChange[];
  /** Links the LFS objects of the new commit to the project. */
  readonly linkLfsObjects: (tx: Transaction, access: CurrentAccess) => Promise<void>;
}

/**
 * Returns the changes to commit on top of `parent`. Content of LFS-tracked paths becomes an object of the project, and
 * its pointer is committed. Fails if content is a pointer to an object that the project does not have
 * (contract/repository.md §1 "LFS", §5).
 */
export async function storeFileContents(
  services: ContentServices,
  project: LfsProject,
  parent: string | null,
  changes: readonly FileChange<FileBytes>[],
): Promise<StoredContents | Failure<'lfsMissing'>> {
  const lfsChanges = await selectLfsChanges(services, project, parent, changes.filter(hasContent));
  if (isFailure(lfsChanges)) return lfsChanges;
  const lfsObjects: StoredBlob[] = [];
  const storeContent = async (change: ContentChange) => {
    if (!lfsChanges.has(change)) return toBlob(services, project, change.content);
    const storedBlob = await storeObject(services, change.content);
    lfsObjects.push(storedBlob);
    return formatLfsPointer({ oid: storedBlob.sha256, size: storedBlob.size });
  };
  const storeChange = async (change: FileChange<FileBytes>) =>
    hasContent(change) ? { ...change, content: await storeContent(change) } : (change as FileChange);
  const storedChanges = await storeLimiter(services.git).run(
    () => mapConcurrently(MAX_CONCURRENT_WRITES, changes, storeChange),
    services.git,
  );
  return { changes: storedChanges, linkLfsObjects: (tx, access) => linkStoredObjects(tx, access, lfsObjects) };
}

async function linkStoredObjects(
  tx: Transaction,
  access: CurrentAccess,
  objects: readonly StoredBlob[],
): Promise<void> {
  for (const object of objects) await linkLfsObject(tx, access, object);
}

type ContentChange = FileChange<FileBytes> & { readonly content: FileBytes };

function hasContent(change: FileChange<FileBytes>): change is ContentChange {
  return 'content' in change && change.content !== undefined;
}

/** Returns the changes whose content becomes an LFS object. Fails if content is a pointer to an unlinked object. */
async function selectLfsChanges(
  { database, git }: ContentServices,
  project: LfsProject,
  parent: string | null,
  changes: readonly ContentChange[],
): Promise<Set<ContentChange> | Failure<'lfsMissing'>> {
  if (changes.length === 0 || !(await isLfsEnabled(database.reader, project))) return new Set();
  const pointers = await Promise.all(changes.map(({ content }) => findPointer(content)));
  const oids = pointers.flatMap((pointer) => pointer?.oid ?? []);
  if (oids.length > 0 && (await listUnlinkedOids(database.reader, project.id, oids)).length > 0)
    return fail('lfsMissing');
  if (parent === null) return new Set();
  const paths = changes.map(({ path }) => path);
  const trackedPaths = await filterLfsPaths(git, getRepository(git, project), parent, paths);
  // Pointers and empty content are committed unchanged, as git-lfs does.
  return new Set(
    changes.filter(({ path, content }, index) => trackedPaths.has(path) && !pointers[index] && getSize(content) > 0),
  );
}

function getSize(content: FileBytes): number {
  return Buffer.isBuffer(content) ? content.length : content.size;
}

/** Parses content as an LFS pointer. Returns null if it is none. */
async function findPointer(content: FileBytes): Promise<LfsPointer | null> {
  const size = getSize(content);
  if (size < LFS_POINTER_SIZES.minBytes || size > LFS_POINTER_SIZES.maxBytes) return null;
  return parseLfsPointer(Buffer.isBuffer(content) ? content : await readAll(content));
}

/** Writes streamed content as a blob and returns its id. Content in memory is returned: it is written with its commit. */
async function toBlob({ git }: ContentServices, project: LfsProject, content: FileBytes): Promise<FileContent> {
  if (Buffer.isBuffer(content)) return content;
  await ensureProjectRepository(git, project);
  const { size } = content;
  return { id: await writeBlob(git, getRepository(git, project), { size, chunks: content.chunks() }) };
}

async function storeObject({ blobs }: ContentServices, content: FileBytes): Promise<StoredBlob> {
  const storedBlob = await storeBlob(blobs, Buffer.isBuffer(content) ? content : Readable.from(content.chunks()));
  if (isFailure(storedBlob)) throw new Error(`LFS content could not be stored: ${storedBlob.code}`);
  return storedBlob;
}

async function readAll(content: StreamedBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
