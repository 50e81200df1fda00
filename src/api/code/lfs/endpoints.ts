import { Readable } from 'node:stream';
import type { Caller } from '#authentication/caller.ts';
import { AccessRevoked, reloadAccess, requireAbility } from '#authorization/current-access.ts';
import {
  type BlobFailure,
  type BlobLimits,
  type BlobStore,
  openBlob,
  type StoredBlob,
  storeBlob,
} from '#blobs/store.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { requireSignedInCaller } from '#http/access/access.ts';
import { gitAccess, requireGitAction } from '#http/access/git-access.ts';
import { GIT_ENDPOINT, requireCurrentPath } from '#http/access/git-rules.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream } from '#http/endpoint/responses.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { createBodyStream, readBytes } from '#http/request/body.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { findLinkedLfsObject, isLfsEnabled, linkLfsObject } from '#repositories/lfs/lfs-objects.ts';
import { isFailure } from '#runtime/failure.ts';
import { createBatchEntries, parseBatch, writeBatchResponse } from './batch.ts';

const LFS_TYPE = 'application/vnd.git-lfs+json';
const createNotFoundError = () => new HttpError(404, 'Not found');

export const batchLfsObjects = endpoint({
  post: '/*repository_path.git/info/lfs/objects/batch',
  summary: 'Get transfer actions for LFS objects',
  description:
    'Implements the batch API of Git LFS. Returns for each object where the client uploads or downloads it. For an ' +
    'upload, stored objects have no action; for a download, missing objects have an error. The actions repeat the ' +
    'credentials of the request.',
  access: gitAccess(() => 'fetch'),
  ...GIT_ENDPOINT,
  response: stream,
  async handle({ project, caller, request, params }, { database }) {
    const db = database.reader;
    if (!(await isLfsEnabled(db, project))) throw createNotFoundError();
    const batch = await parseBatch(await readBytes(request));
    if (batch === null) throw new HttpError(422, 'The batch request is not valid');
    if (batch.operation === 'upload') requireUploadAccess({ caller, project, request }, params.repository_path);
    const repositoryUrl = `${request.baseUrl}/${params.repository_path}.git`;
    const transfer = { repositoryUrl, authorization: firstHeader(request.headers.authorization) };
    const entries = await createBatchEntries(db, project.id, batch, transfer);
    return {
      headers: { 'Content-Type': LFS_TYPE },
      body: Readable.from(writeBatchResponse(entries), { objectMode: false }),
    };
  },
});

/** Throws unless the caller may push and the path is current: a former path redirects reads only. */
function requireUploadAccess({ caller, project, request }: UploadCall, path: string): void {
  requireGitAction(caller, project, 'push');
  requireCurrentPath(request, project, path);
}

/** The values of a request that upload access depends on. */
interface UploadCall {
  readonly caller: Caller;
  readonly project: Project;
  readonly request: IncomingRequest;
}

export const uploadLfsObject = endpoint({
  put: '/*repository_path.git/gitlab-lfs/objects/:oid/:size',
  summary: 'Upload an LFS object',
  description:
    'Stores the request body as an LFS object and links it to the project. The body must have the SHA-256 and the ' +
    'size in the path, otherwise the answer is 400. Each object is stored once for all projects.',
  access: gitAccess(() => 'push', 'user'),
  ...GIT_ENDPOINT,
  params: {
    oid: describe(required(string), 'SHA-256 of the content in hexadecimal.'),
    size: describe(required(string), 'Size in bytes.'),
  },
  response: stream,
  async handle({ project, caller, request, params: { oid, size } }, { database, blobs }) {
    const isObjectPath = /^[0-9a-f]{64}$/.test(oid) && /^\d{1,15}$/.test(size);
    if (!isObjectPath || !(await isLfsEnabled(database.reader, project))) throw createNotFoundError();
    const storedBlob = await storeUpload(request, blobs, { expectedSha256: oid, expectedSize: Number(size) });
    if (isFailure(storedBlob)) throw new HttpError(400, 'SHA256 or size mismatch');
    const uploader = requireSignedInCaller(caller);
    await database.transaction(async (tx) => {
      const currentAccess = await reloadAccess(tx, uploader, project.id);
      requireAbility(currentAccess, 'push_code');
      if (currentAccess.project.read_only) throw new AccessRevoked();
      if (!(await isLfsEnabled(tx, currentAccess.project))) throw createNotFoundError();
      await linkLfsObject(tx, currentAccess, storedBlob);
    });
    return { headers: {} };
  },
});

/** Stores the request body as a blob. The rest of a rejected body is discarded. */
async function storeUpload(
  request: IncomingRequest,
  blobs: BlobStore,
  limits: BlobLimits,
): Promise<StoredBlob | BlobFailure> {
  const body = createBodyStream(request);
  try {
    return await storeBlob(blobs, body, limits);
  } finally {
    body.destroy();
  }
}

export const downloadLfsObject = endpoint({
  get: '/*repository_path.git/gitlab-lfs/objects/:oid',
  summary: 'Download an LFS object',
  description: 'Returns the bytes of an LFS object. Objects that are not linked to the project answer 404.',
  access: gitAccess(() => 'fetch'),
  ...GIT_ENDPOINT,
  params: { oid: describe(required(string), 'SHA-256 of the content in hexadecimal.') },
  response: stream,
  async handle({ project, params }, { database, blobs }) {
    const db = database.reader;
    const object = (await isLfsEnabled(db, project)) ? await findLinkedLfsObject(db, project.id, params.oid) : null;
    const blob = object && (await openBlob(blobs, object.oid));
    if (blob === null) throw createNotFoundError();
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': String(blob.size) };
    return { headers, body: blob.stream };
  },
});
