import type { Readable } from 'node:stream';
import type { Git } from '#git/git.ts';
import { MAX_BUFFERED_OBJECT, readObject } from '#git/objects/object-reader.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { openStreamForClient, readContentForJson } from '#rate-limits/stream-limits.ts';
import { buildRawHeaders, peekStart } from '#repositories/raw-content.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import type { StreamedText } from '#text/streamed-text.ts';
import { createFileHeaders } from './file-headers.ts';
import type { FileAtRevision } from './get.ts';

/** Returns the content of a file for the `content` field of a JSON response. */
export async function readFileContent(
  git: Git,
  project: LocatedRepository,
  { blobId, isSubmodule: submodule }: FileAtRevision,
): Promise<Buffer | StreamedText> {
  return submodule ? Buffer.alloc(0) : readContentForJson(git, getRepository(git, project), blobId);
}

/** Returns the raw content of a file: small files from the cache, large ones streamed at the client's pace. */
export async function createRawFileReply(
  git: Git,
  project: LocatedRepository,
  file: FileAtRevision,
  client: RequestClient,
): Promise<StreamReply> {
  const { head, body } = file.isSubmodule ? EMPTY_CONTENT : await openContent(git, project, file, client);
  const headers = {
    ...createFileHeaders(file),
    ...buildRawHeaders(file.name, head, file.size),
    'Content-Length': String(file.size),
  };
  return { headers, body };
}

interface HeadAndBody {
  /** The first bytes, which determine the media type. */
  readonly head: Uint8Array;
  readonly body: Readable | Uint8Array;
}

const EMPTY_CONTENT: HeadAndBody = { head: new Uint8Array(), body: new Uint8Array() };

async function openContent(
  git: Git,
  project: LocatedRepository,
  { blobId, size }: FileAtRevision,
  client: RequestClient,
): Promise<HeadAndBody> {
  const repository = getRepository(git, project);
  if (size <= MAX_BUFFERED_OBJECT) {
    const object = await readObject(git, repository, blobId);
    return object?.content ? { head: object.content, body: object.content } : EMPTY_CONTENT;
  }
  const object = await openStreamForClient(git, repository, blobId, client);
  if (object === null) return EMPTY_CONTENT;
  return { head: await peekStart(object.content, size), body: object.content };
}
