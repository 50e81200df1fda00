import type { Readable } from 'node:stream';
import type { Git } from '#git/git.ts';
import { readObject, SMALL_OBJECT } from '#git/objects/object-reader.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { jsonBlobLimit } from '#rate-limits/large-blobs.ts';
import { type Receiver, streamToClient } from '#rate-limits/stream-limits.ts';
import { headOf, rawHeaders } from '#repositories/raw-content.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import { fileHeaders } from './file-headers.ts';
import type { LocatedFile } from './get.ts';

/** All bytes of a file, for its JSON. */
export async function contentOf(git: Git, project: Placed, { blobId, submodule }: LocatedFile): Promise<Buffer> {
  const read = submodule ? null : await readObject(git, repositoryOf(git, project), blobId, jsonBlobLimit);
  return read?.content ?? Buffer.alloc(0);
}

/** The bytes of a file: small ones from what is remembered, large ones at the client's pace. */
export async function rawReply(git: Git, project: Placed, file: LocatedFile, receiver: Receiver): Promise<StreamReply> {
  const { head, body } = file.submodule ? NOTHING : await bytesOf(git, project, file, receiver);
  const headers = {
    ...fileHeaders(file),
    ...rawHeaders(file.name, head, file.size),
    'Content-Length': String(file.size),
  };
  return { headers, body };
}

interface Bytes {
  /** The first of them, which tell what they are. */
  readonly head: Uint8Array;
  readonly body: Readable | Uint8Array;
}

const NOTHING: Bytes = { head: new Uint8Array(), body: new Uint8Array() };

async function bytesOf(git: Git, project: Placed, { blobId, size }: LocatedFile, receiver: Receiver): Promise<Bytes> {
  const repository = repositoryOf(git, project);
  if (size <= SMALL_OBJECT) {
    const read = await readObject(git, repository, blobId);
    return read?.content ? { head: read.content, body: read.content } : NOTHING;
  }
  const object = await streamToClient(git, repository, blobId, receiver);
  if (object === null) return NOTHING;
  return { head: await headOf(object.content, size), body: object.content };
}
