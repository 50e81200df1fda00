import { objectInfo, readObject } from '#git/objects/object-reader.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, stream } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { blobTooLarge, jsonBlobLimit, largeBlobLimit } from '#rate-limits/large-blobs.ts';
import { streamToClient } from '#rate-limits/stream-limits.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import { fail } from '#runtime/failure.ts';
import { Blob } from './entities.ts';
import { rawBlob } from './raw.ts';

/** The blob with this id, or with an id that begins like this and no other does. */
const blob = {
  name: 'blob',
  params: { sha: required(refName) },
  async load(
    { params, services: { git } }: AccessCall<{ readonly sha: string }>,
    { project }: { readonly project: Placed },
  ) {
    const sha = params.sha.toLowerCase();
    if (!/^[0-9a-f]{4,40}$/.test(sha)) return null;
    return objectInfo(git, repositoryOf(git, project), `${sha}^{blob}`);
  },
  notFound: () => notFound('Blob'),
} as const;

export const readBlob = endpoint({
  get: '/projects/:id/repository/blobs/:sha',
  summary: 'Read a blob by its id',
  access: inPublicProject('read_code').resource(blob),
  errors: { blobTooLarge: blobTooLarge('/projects/:id/repository/blobs/:sha/raw') },
  response: ok(Blob),
  async handle({ project, blob }, { database, git }) {
    const limited = await largeBlobLimit(database, project.id, blob.size);
    if (limited !== null) return limited;
    const read = await readObject(git, repositoryOf(git, project), blob.id, jsonBlobLimit);
    return { ...blob, content: read?.content ?? null };
  },
});

export const readRawBlob = endpoint({
  get: '/projects/:id/repository/blobs/:sha/raw',
  summary: 'The bytes of a blob',
  access: inPublicProject('read_code').resource(blob),
  errors: { gone: [404, '404 Blob Not Found'] },
  response: stream,
  async handle({ project, blob, request }, { git }) {
    const content = await streamToClient(git, repositoryOf(git, project), blob.id, request);
    return content === null ? fail('gone') : rawBlob(content);
  },
});
