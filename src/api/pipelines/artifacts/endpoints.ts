import { Readable } from 'node:stream';
import { openBlob } from '#blobs/store.ts';
import { deferredJobTokenAccess } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { noContent, ok, type StreamReply, stream, streamWith } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { buildRawHeaders, formatContentDisposition, RAW_MEDIA_TYPES } from '#repositories/raw-content.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { Job, mayAdministerPipelines, readJobAccess, updateJobAccess } from '../jobs/index.ts';
import {
  type AuthorizedArchive,
  dependencyTokenAccess,
  findAvailableArchive,
  readArchiveAccess,
  readLatestArchiveAccess,
} from './access.ts';
import { uploadArtifact, uploadFields } from './changes.ts';
import { deleteArtifacts, keepAllArtifacts } from './store.ts';
import { type ReadRange, type UnpackedFile, unpackFile } from './zip-files.ts';

/** Streams the archive to the client; fails with `archiveNotFound` if its content no longer exists. */
async function sendArchive(
  { blobs }: Pick<Services, 'blobs'>,
  archive: AuthorizedArchive,
): Promise<StreamReply | Failure<'archiveNotFound'>> {
  const blob = await openBlob(blobs, archive.sha256);
  if (blob === null) return fail('archiveNotFound');
  return {
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(blob.size),
      'Content-Disposition': formatContentDisposition('attachment', archive.filename),
      'Cache-Control': 'private, no-store',
    },
    body: blob.stream,
  };
}

/** Bytes above which a download occupies a slot, because unpacking lasts as long as the client reads. */
const MAX_BYTES_WITHOUT_SLOT = 1024 * 1024;
/** Limits concurrent downloads of large files per client network and in total. */
const downloadSlots = createConcurrencySlots({ perNetwork: 8, total: 32 });

/**
 * Streams one file of an archive like a raw file (contract/repository.md §1), unpacking it on the fly. Fails with
 * `fileNotFound` if the file is missing or unreadable, and with `archiveNotFound` if the content of the archive no
 * longer exists.
 */
async function sendArchivedFile(
  { blobs }: Pick<Services, 'blobs'>,
  archive: AuthorizedArchive,
  path: string,
  { client }: { readonly client: RequestClient },
): Promise<StreamReply | Failure<'archiveNotFound' | 'fileNotFound'>> {
  let blobExists = true;
  const readRange: ReadRange = async (start, end) => {
    const blob = await openBlob(blobs, archive.sha256, { start, end });
    blobExists = blob !== null;
    return blob?.stream ?? Readable.from([]);
  };
  const file = await unpackFile(readRange, archive.size, path, client);
  if (file === null) return fail(blobExists ? 'fileNotFound' : 'archiveNotFound');
  const releaseSlot = file.size > MAX_BYTES_WITHOUT_SLOT ? await acquireSlot(file, { client }) : () => {};
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    headers: { ...buildRawHeaders(name, file.firstChunk, file.size), 'Content-Length': String(file.size) },
    body: toStream(file, releaseSlot),
  };
}

/** Acquires a download slot, and releases the unpacker if the client disconnects while it waits. */
async function acquireSlot(
  { remainingChunks }: UnpackedFile,
  { client }: { readonly client: RequestClient },
): Promise<() => void> {
  try {
    return await downloadSlots.take(client.network, client);
  } catch (error) {
    await remainingChunks.return(undefined);
    throw error;
  }
}

function toStream({ firstChunk, remainingChunks }: UnpackedFile, releaseSlot: () => void): Readable {
  const body = Readable.from(concatChunks(firstChunk, remainingChunks), { objectMode: false });
  // If the client never starts to read, only this call ends the generator.
  return body.once('close', () => {
    releaseSlot();
    void remainingChunks.return(undefined);
  });
}

async function* concatChunks(firstChunk: Buffer, remainingChunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (firstChunk.length > 0) yield firstChunk;
  yield* remainingChunks;
}

export const uploadArtifacts = endpoint({
  post: '/jobs/:id/artifacts',
  summary: 'Upload an artifact of a running job',
  description:
    'A runner uploads one file of `artifact_type`. Uploading the same file again is ignored; another file of the same type is rejected. The size limit is that of the project, else the nearest group, else the setting `max_artifacts_size`.',
  access: deferredJobTokenAccess(),
  stageOrder: 'clientToken',
  body: 'deferred',
  fields: uploadFields,
  unknownIdStatus: 403,
  errors: {
    fileMissing: [400, { error: 'file is missing' }],
    fileInvalid: [400, { error: 'file is invalid' }],
    expiryInvalid: [400, { error: 'expire_in is invalid' }],
    wrongFormat: [400, 'Invalid file format with specified file type'],
    fileTooLarge: [413, 'file size has reached maximum size limit'],
    artifactTypeExists: [400, 'another artifact of the same type already exists'],
  },
  response: streamWith({ status: 201, mediaTypes: [] }),
  async handle({ request, rawParams, authenticate }, services) {
    const result = await uploadArtifact(services, { request, rawParams, authenticate });
    // An empty response without a content type.
    return isFailure(result) ? result : { headers: {} };
  },
});

/** contract/runners.md §3.7 */
export const downloadDependency = endpoint({
  get: '/jobs/:id/artifacts',
  summary: 'Download the artifacts archive of a dependency',
  description:
    'A running job downloads the archive of another job with its own token, if its user may read jobs of that project. Jobs of the same pipeline always get the archive; otherwise, `artifacts:access` of the CI file applies. Answers 404 if the job has no archive or it has expired.',
  access: dependencyTokenAccess(),
  stageOrder: 'clientToken',
  params: { direct_download: describe(optional(boolean), 'Has no effect: the archive is always in the response.') },
  unknownIdStatus: 403,
  errors: { archiveNotFound: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

/** contract/runners.md §5.5 */
export const downloadArtifacts = endpoint({
  get: '/projects/:id/jobs/:job_id/artifacts',
  summary: 'Download the artifacts archive of a job',
  description:
    'Returns the archive as a zip file. The CI file can restrict who gets it (`artifacts:access`). Answers 404 if the job has no archive or it has expired.',
  access: readArchiveAccess(),
  allowJobToken: true,
  errors: { archiveNotFound: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

/** Response for a file that is missing from the archive or unreadable. */
const FILE_NOT_FOUND = [404, '404 Not Found'] as const;

export const downloadArtifactFile = endpoint({
  get: '/projects/:id/jobs/:job_id/artifacts/*path',
  summary: 'Download one file of a job’s artifacts',
  description:
    'Unpacks the file from the archive. It is sent like a raw file of a repository, so that browsers never execute it.',
  access: readArchiveAccess(),
  allowJobToken: true,
  params: { path: required(pathText) },
  errors: { archiveNotFound: NOT_FOUND, fileNotFound: FILE_NOT_FOUND },
  response: streamWith({ mediaTypes: RAW_MEDIA_TYPES }),
  handle: ({ archive, params, request }, services) => sendArchivedFile(services, archive, params.path, request),
});

export const downloadLatestArtifacts = endpoint({
  get: '/projects/:id/jobs/artifacts/:ref_name/download',
  summary: 'Download the latest artifacts archive of a ref',
  description:
    'Returns the archive of the job `job` in the newest successful pipeline of the branch or tag. Answers 404 if the pipeline, the job or its archive does not exist.',
  access: readLatestArchiveAccess(),
  allowJobToken: true,
  errors: { archiveNotFound: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

export const downloadLatestArtifactFile = endpoint({
  get: '/projects/:id/jobs/artifacts/:ref_name/raw/*path',
  summary: 'Download one file of a ref’s latest artifacts',
  description:
    'Unpacks the file from the archive of the job `job` in the newest successful pipeline of the branch or tag.',
  access: readLatestArchiveAccess(),
  allowJobToken: true,
  params: { path: required(pathText) },
  errors: { archiveNotFound: NOT_FOUND, fileNotFound: FILE_NOT_FOUND },
  response: streamWith({ mediaTypes: RAW_MEDIA_TYPES }),
  handle: ({ archive, params, request }, services) => sendArchivedFile(services, archive, params.path, request),
});

export const keepArtifacts = endpoint({
  post: '/projects/:id/jobs/:job_id/artifacts/keep',
  summary: 'Keep the artifacts of a job',
  description: 'The artifacts no longer expire. Answers 404 if the job has no archive or it has expired already.',
  access: updateJobAccess(),
  errors: { archiveNotFound: NOT_FOUND },
  response: ok(Job),
  async write(uow, { job }) {
    if ((await findAvailableArchive(uow, job.id, uow.now)) === null) return fail('archiveNotFound');
    await keepAllArtifacts(uow, job.id);
    return { ...job, artifacts_expire_at: null };
  },
});

export const deleteJobArtifacts = endpoint({
  delete: '/projects/:id/jobs/:job_id/artifacts',
  summary: 'Delete the artifacts of a job',
  description: 'Deletes all artifacts except the log.',
  access: readJobAccess()
    .require((_call, { project, caller }) => {
      if (!mayAdministerPipelines(caller, project)) throw forbidden();
    })
    .withLabel('project:admin_pipeline'),
  response: noContent,
  write: (uow, { job }) => deleteArtifacts(uow, job.id),
});
