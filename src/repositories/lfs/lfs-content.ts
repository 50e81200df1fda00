import { Readable } from 'node:stream';
import type { Standing } from '#authorization/current-access.ts';
import { type StoredBlob, storeBlob } from '#blobs/index.ts';
import type { Transaction } from '#database/database.ts';
import { type FileChange, type FileContent, writeBlob } from '#git/commits/commit.ts';
import { ownedBy } from '#git/git.ts';
import { formatPointer, type LfsPointer, parsePointer, pointerSizes } from '#git/objects/lfs-pointer.ts';
import { lfsPaths } from '#git/trees/attributes.ts';
import { eachOf, gate } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { ensureProjectRepository, type MovingProject } from '../ref-updates/move-refs.ts';
import { repositoryOf } from '../repository.ts';
import type { ContentServices } from '../services.ts';
import { isLfsOn, linkObject, unlinkedOids } from './lfs-objects.ts';

/** File contents on their way into a commit: what is too large for memory is stored, what LFS tracks becomes an object. */

interface LfsProject extends MovingProject {
  readonly namespace_id: number;
  readonly lfs_enabled: boolean;
}

/** Bytes that are in memory, or that come in chunks as often as they are asked for. */
export type Bytes = Buffer | StreamedBytes;

export interface StreamedBytes {
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

/** Commits whose contents are being stored: each keeps the disk. */
const storing = ownedBy(() => gate(16, { waiting: 256, retryAfter: 5 }));

/** Contents of one commit that are stored at the same time. */
const WRITERS = 8;

interface StoredContents {
  readonly changes: FileChange[];
  /** Gives the project the objects that its new commit points to. */
  readonly link: (tx: Transaction, now: Standing) => Promise<void>;
}

/**
 * The changes as they are committed on top of `parent`. Where `.gitattributes` gives a path to LFS the bytes become an
 * object of the project and the pointer is committed; refused when a content is itself a pointer to an object that the
 * project doesn't have (contract/repository.md §1 "LFS", §5).
 */
export async function storeContents(
  services: ContentServices,
  project: LfsProject,
  parent: string | null,
  changes: readonly FileChange<Bytes>[],
): Promise<StoredContents | Failure<'lfsMissing'>> {
  const forLfs = await changesForLfs(services, project, parent, changes.filter(hasContent));
  if (isFailure(forLfs)) return forLfs;
  const objects: StoredBlob[] = [];
  const content = async (change: WithContent) => {
    if (!forLfs.has(change)) return toBlob(services, project, change.content);
    const stored = await storeObject(services, change.content);
    objects.push(stored);
    return formatPointer({ oid: stored.sha256, size: stored.size });
  };
  const store = async (change: FileChange<Bytes>) =>
    hasContent(change) ? { ...change, content: await content(change) } : (change as FileChange);
  const stored = await storing(services.git).enter(() => eachOf(WRITERS, changes, store), services.git);
  return { changes: stored, link: (tx, now) => linkStored(tx, now, objects) };
}

async function linkStored(tx: Transaction, now: Standing, objects: readonly StoredBlob[]): Promise<void> {
  for (const object of objects) await linkObject(tx, now, object);
}

type WithContent = FileChange<Bytes> & { readonly content: Bytes };

function hasContent(change: FileChange<Bytes>): change is WithContent {
  return 'content' in change && change.content !== undefined;
}

/** Those whose content becomes an object. */
async function changesForLfs(
  { database, git }: ContentServices,
  project: LfsProject,
  parent: string | null,
  changes: readonly WithContent[],
): Promise<Set<WithContent> | Failure<'lfsMissing'>> {
  if (changes.length === 0 || !(await isLfsOn(database.reader, project))) return new Set();
  const pointers = await Promise.all(changes.map(({ content }) => pointerIn(content)));
  const oids = pointers.flatMap((pointer) => pointer?.oid ?? []);
  if (oids.length > 0 && (await unlinkedOids(database.reader, project.id, oids)).length > 0) return fail('lfsMissing');
  if (parent === null) return new Set();
  const paths = changes.map(({ path }) => path);
  const tracked = await lfsPaths(git, repositoryOf(git, project), parent, paths);
  // A pointer that is sent as content stays what it is, and so does nothing at all, as git-lfs has it.
  return new Set(changes.filter(({ path, content }, at) => tracked.has(path) && !pointers[at] && sizeOf(content) > 0));
}

function sizeOf(content: Bytes): number {
  return Buffer.isBuffer(content) ? content.length : content.size;
}

async function pointerIn(content: Bytes): Promise<LfsPointer | null> {
  const size = sizeOf(content);
  if (size < pointerSizes.least || size > pointerSizes.most) return null;
  return parsePointer(Buffer.isBuffer(content) ? content : await whole(content));
}

/** What is in memory is written with its commit; what is not, now. */
async function toBlob({ git }: ContentServices, project: LfsProject, content: Bytes): Promise<FileContent> {
  if (Buffer.isBuffer(content)) return content;
  await ensureProjectRepository(git, project);
  const { size } = content;
  return { id: await writeBlob(git, repositoryOf(git, project), { size, chunks: content.chunks() }) };
}

async function storeObject({ blobs }: ContentServices, content: Bytes): Promise<StoredBlob> {
  const stored = await storeBlob(blobs, Buffer.isBuffer(content) ? content : Readable.from(content.chunks()));
  if (isFailure(stored)) throw new Error(`LFS content could not be stored: ${stored.code}`);
  return stored;
}

async function whole(content: StreamedBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
