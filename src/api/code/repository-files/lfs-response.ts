import { openBlob } from '#blobs/index.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { LFS_POINTER_SIZES, parseLfsPointer } from '#git/objects/lfs-pointer.ts';
import { readObject } from '#git/objects/object-reader.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { findLinkedLfsObject, isLfsEnabled } from '#repositories/lfs/lfs-objects.ts';
import { buildRawHeaders, formatContentDisposition } from '#repositories/raw-content.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { createFileHeaders } from './file-headers.ts';
import type { FileAtRevision } from './get.ts';

/** Returns the LFS object of a pointer file (`lfs=true`); null if the file is not a pointer or LFS is off. */
export async function createLfsFileReply(
  project: Project,
  file: FileAtRevision,
  { database, git, blobs }: Pick<Services, 'database' | 'git' | 'blobs'>,
): Promise<StreamReply | Failure<'lfsMissing'> | null> {
  if (file.size < LFS_POINTER_SIZES.minBytes || file.size > LFS_POINTER_SIZES.maxBytes) return null;
  if (!(await isLfsEnabled(database.reader, project))) return null;
  const object = await readObject(git, getRepository(git, project), file.blobId);
  const pointer = object?.content ? parseLfsPointer(object.content) : null;
  if (pointer === null) return null;
  const linkedObject = await findLinkedLfsObject(database.reader, project.id, pointer.oid);
  const blob = linkedObject && (await openBlob(blobs, linkedObject.oid));
  if (blob === null) return fail('lfsMissing');
  // The reference server names the file by its path on disk, where the first four digits are directories.
  const name = pointer.oid.slice(4);
  const headers = {
    ...createFileHeaders(file),
    ...buildRawHeaders(name, new Uint8Array(), 0),
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': formatContentDisposition('attachment', name),
    'Content-Length': String(blob.size),
  };
  return { headers, body: blob.stream };
}
