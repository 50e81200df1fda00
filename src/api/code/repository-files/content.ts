import type { Readable } from 'node:stream';
import { openBlob } from '#blobs/store.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { LFS_POINTER_SIZES, parseLfsPointer } from '#git/objects/lfs-pointer.ts';
import { MAX_BUFFERED_OBJECT, readObject } from '#git/objects/object-reader.ts';
import type { Services } from '#http/services.ts';
import { openStreamForClient } from '#rate-limits/stream-limits.ts';
import { findLinkedLfsObject, isLfsEnabled } from '#repositories/lfs/lfs-objects.ts';
import { peekStart } from '#repositories/raw-content.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { LocatedContent } from './get.ts';

/** The content of a file whose first bytes have been read. */
interface OpenedFile {
  /** The first bytes, which determine the media type. */
  readonly head: Uint8Array;
  readonly body: Readable | Uint8Array;
}

const EMPTY_CONTENT: OpenedFile = { head: new Uint8Array(), body: new Uint8Array() };

/**
 * Opens the content of a file. A small file is read completely, a large one streamed as fast as the client reads. A
 * submodule, and a blob that does not exist any more, are empty.
 */
export async function openFileContent(
  git: Git,
  project: LocatedRepository,
  { blobId, size, isSubmodule }: LocatedContent,
  client: RequestClient,
): Promise<OpenedFile> {
  if (isSubmodule) return EMPTY_CONTENT;
  const repository = getRepository(git, project);
  if (size <= MAX_BUFFERED_OBJECT) {
    const object = await readObject(git, repository, blobId);
    return object?.content ? { head: object.content, body: object.content } : EMPTY_CONTENT;
  }
  const object = await openStreamForClient(git, repository, blobId, client);
  if (object === null) return EMPTY_CONTENT;
  return { head: await peekStart(object.content, size), body: object.content };
}

/** An LFS object that a file names. */
interface LfsFile {
  readonly oid: string;
  readonly size: number;
  readonly stream: Readable;
}

/**
 * Opens the LFS object that the file names; null if the file is not an LFS pointer or LFS is off. Fails with `lfsMissing` if the project
 * does not have the object.
 */
export async function openLfsFile(
  { database, git, blobs }: Pick<Services, 'database' | 'git' | 'blobs'>,
  project: Project,
  file: LocatedContent,
): Promise<LfsFile | Failure<'lfsMissing'> | null> {
  if (file.size < LFS_POINTER_SIZES.minBytes || file.size > LFS_POINTER_SIZES.maxBytes) return null;
  if (!(await isLfsEnabled(database.reader, project))) return null;
  const object = await readObject(git, getRepository(git, project), file.blobId);
  const pointer = object?.content ? parseLfsPointer(object.content) : null;
  if (pointer === null) return null;
  const linkedObject = await findLinkedLfsObject(database.reader, project.id, pointer.oid);
  const blob = linkedObject && (await openBlob(blobs, linkedObject.oid));
  return blob === null ? fail('lfsMissing') : { oid: pointer.oid, size: blob.size, stream: blob.stream };
}
