import { deferredJobTokenAccess } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { noContent, ok, stream, streamWith } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { RAW_MEDIA_TYPES } from '#repositories/raw-content.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { Job, mayAdministerPipelines, readJobAccess, updateJobAccess } from '../jobs/index.ts';
import { dependencyTokenAccess, readArchiveAccess, readLatestArchiveAccess } from './access.ts';
import { findAvailableArchive, sendArchive } from './download.ts';
import { sendArchivedFile } from './single-file.ts';
import { deleteArtifacts, keepAllArtifacts } from './store.ts';
import { uploadArtifact, uploadFields } from './upload.ts';

export const uploadArtifacts = endpoint({
  post: '/jobs/:id/artifacts',
  summary: 'Upload an artifact of a running job',
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
  access: dependencyTokenAccess(),
  stageOrder: 'clientToken',
  params: { direct_download: optional(boolean) },
  unknownIdStatus: 403,
  errors: { archiveNotFound: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

/** contract/runners.md §5.5 */
export const downloadArtifacts = endpoint({
  get: '/projects/:id/jobs/:job_id/artifacts',
  summary: 'Download the artifacts archive of a job',
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
  access: readLatestArchiveAccess(),
  allowJobToken: true,
  errors: { archiveNotFound: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

export const downloadLatestArtifactFile = endpoint({
  get: '/projects/:id/jobs/artifacts/:ref_name/raw/*path',
  summary: 'Download one file of a ref’s latest artifacts',
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
  access: readJobAccess()
    .require((_call, { project, caller }) => {
      if (!mayAdministerPipelines(caller, project)) throw forbidden();
    })
    .withLabel('project:admin_pipeline'),
  response: noContent,
  write: (uow, { job }) => deleteArtifacts(uow, job.id),
});
