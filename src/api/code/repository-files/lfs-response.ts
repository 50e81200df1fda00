import { openBlob } from '#blobs/index.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { parsePointer, pointerSizes } from '#git/objects/lfs-pointer.ts';
import { readObject } from '#git/objects/object-reader.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { isLfsOn, linkedObject } from '#repositories/lfs/lfs-objects.ts';
import { contentDisposition, rawHeaders } from '#repositories/raw-content.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { fileHeaders } from './file-headers.ts';
import type { LocatedFile } from './get.ts';

/** `lfs=true`: the bytes of the object that a pointer names; null when the file is no pointer, or LFS is off. */
export async function lfsReply(
  project: Project,
  file: LocatedFile,
  { database, git, blobs }: Pick<Services, 'database' | 'git' | 'blobs'>,
): Promise<StreamReply | Failure<'lfsMissing'> | null> {
  if (file.size < pointerSizes.least || file.size > pointerSizes.most) return null;
  if (!(await isLfsOn(database.reader, project))) return null;
  const read = await readObject(git, repositoryOf(git, project), file.blobId);
  const pointer = read?.content ? parsePointer(read.content) : null;
  if (pointer === null) return null;
  const linked = await linkedObject(database.reader, project.id, pointer.oid);
  const blob = linked && (await openBlob(blobs, linked.oid));
  if (blob === null) return fail('lfsMissing');
  // Named as it lies on disk in the reference: the first four digits are directories there.
  const name = pointer.oid.slice(4);
  const headers = {
    ...fileHeaders(file),
    ...rawHeaders(name, new Uint8Array(), 0),
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': contentDisposition('attachment', name),
    'Content-Length': String(blob.size),
  };
  return { headers, body: blob.stream };
}
