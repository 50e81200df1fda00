import { Type } from 'typebox';
import { objectInfo, readObject, streamObject } from '../../../git/objects.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inPublicProject } from '../../../http/access/project-access.ts';
import { entity, shape, stream } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { notFound } from '../../../http/endpoint/refusal.ts';
import { blobTooLarge, jsonBlobLimit, largeBlobLimit } from '../../../limits/large-blobs.ts';
import { type Placed, repositoryOf } from '../../../repositories/repository.ts';
import { rawBlob } from './raw.ts';

/** The blob with this id, or with an id that begins like this and no other does. */
const blob = {
  name: 'blob' as const,
  async find({ path, rooms: { git } }: AccessCall, { project }: { project: Placed }) {
    const sha = (path.sha ?? '').toLowerCase();
    if (!/^[0-9a-f]{4,40}$/.test(sha)) return null;
    return objectInfo(git, repositoryOf(git, project), `${sha}^{blob}`);
  },
  missing: () => notFound('Blob'),
};

const Blob = shape('Blob', {
  size: Type.Integer(),
  encoding: Type.Literal('base64'),
  content: Type.String(),
  sha: Type.String(),
});

export const readBlob = endpoint({
  get: '/projects/:id/repository/blobs/:sha',
  summary: 'Read a blob by its id',
  access: inPublicProject('read_code').record(blob),
  refuses: { blobTooLarge: blobTooLarge('/projects/:id/repository/blobs/:sha/raw') },
  answer: entity(Blob),
  async handle({ git, database, project, blob }) {
    const limited = await largeBlobLimit(database, project.id, blob.size);
    if (limited !== null) return limited;
    const read = await readObject(git, repositoryOf(git, project), blob.id, jsonBlobLimit);
    const content = read?.content?.toString('base64') ?? '';
    return { size: blob.size, encoding: 'base64' as const, content, sha: blob.id };
  },
});

export const readRawBlob = endpoint({
  get: '/projects/:id/repository/blobs/:sha/raw',
  summary: 'The bytes of a blob',
  access: inPublicProject('read_code').record(blob),
  answer: stream,
  async handle({ git, project, blob }) {
    const content = await streamObject(git, repositoryOf(git, project), blob.id);
    if (content === null) throw notFound('Blob');
    return rawBlob(content);
  },
});
