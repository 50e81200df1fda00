import { Type } from 'typebox';
import { getObjectInfo, type StreamedObject } from '#git/objects/object-reader.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok, type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { blobTooLargeResponse, checkLargeBlobLimit } from '#rate-limits/application-limit.ts';
import { openStreamForClient, readContentForJson, toBase64 } from '#rate-limits/stream-limits.ts';
import { detectContentType, NO_STORE_HEADERS, peekStart, RAW_MEDIA_TYPES } from '#repositories/raw-content.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { fail } from '#runtime/failure.ts';
import type { StreamedText } from '#text/streamed-text.ts';

/** A blob (contract/repository.md §4). */
const Blob = entity('Blob', {
  size: Type.Integer(),
  encoding: Type.Literal('base64'),
  content: Type.String(),
  sha: Type.String(),
}).from(
  ({ id, size, content }: { readonly id: string; readonly size: number; readonly content: Buffer | StreamedText }) => ({
    size,
    encoding: 'base64',
    content: toBase64(content),
    sha: id,
  }),
);

/** Resource: the blob with the id in the path. An unambiguous prefix of the id is sufficient. */
const blobResource = {
  name: 'blob',
  params: { sha: describe(required(refName), 'Id of the blob, or an unambiguous prefix of at least four digits.') },
  async load(
    { params, services: { git } }: AccessCall<{ readonly sha: string }>,
    { project }: { readonly project: LocatedRepository },
  ) {
    const sha = params.sha.toLowerCase();
    if (!/^[0-9a-f]{4,40}$/.test(sha)) return null;
    return getObjectInfo(git, getRepository(git, project), `${sha}^{blob}`);
  },
  notFound: () => notFound('Blob'),
} as const;

export const getBlob = endpoint({
  get: '/projects/:id/repository/blobs/:sha',
  summary: 'Get a blob',
  description:
    'Returns the size and the content of a blob, encoded in base64. Reads of blobs over 10 MiB are rate-limited for ' +
    'each project; `GET /projects/:id/repository/blobs/:sha/raw` is not.',
  access: inProjectAllowingAnonymous('read_code').resource(blobResource),
  errors: { blobTooLarge: blobTooLargeResponse('/projects/:id/repository/blobs/:sha/raw') },
  response: ok(Blob),
  async handle({ project, blob }, { database, git }) {
    const limitFailure = await checkLargeBlobLimit(database, project.id, blob.size);
    if (limitFailure !== null) return limitFailure;
    return { ...blob, content: await readContentForJson(git, getRepository(git, project), blob.id) };
  },
});

export const getRawBlob = endpoint({
  get: '/projects/:id/repository/blobs/:sha/raw',
  summary: 'Get the raw content of a blob',
  description:
    'Returns the bytes of a blob. Images have their media type, and text is plain text, HTML included. All other ' +
    'content is `application/octet-stream`.',
  access: inProjectAllowingAnonymous('read_code').resource(blobResource),
  errors: { notFound: [404, '404 Blob Not Found'] },
  response: streamWith({ mediaTypes: RAW_MEDIA_TYPES }),
  async handle({ project, blob, request }, { git }) {
    const content = await openStreamForClient(git, getRepository(git, project), blob.id, request.client);
    return content === null ? fail('notFound') : createRawBlobReply(content);
  },
});

/** Returns the bytes of a blob with a media type that no browser executes. A blob has no file name. */
async function createRawBlobReply({ content, size }: StreamedObject): Promise<StreamReply> {
  return {
    headers: {
      'Content-Type': detectContentType(await peekStart(content, size), size),
      'Content-Length': String(size),
      'Content-Disposition': 'inline',
      ...NO_STORE_HEADERS,
    },
    body: content,
  };
}
