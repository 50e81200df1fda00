import { provenJobLate } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { noContent, ok, stream } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { actingOnJob, Job, mayForce, readingJob } from '../jobs/index.ts';
import { byReadersToken, readingArchive, readingLatestArchive } from './access.ts';
import { findArchive, sendArchive } from './download.ts';
import { sendFileOf } from './single-file.ts';
import { deleteArtifacts, keepAll } from './store.ts';
import { fields, upload } from './upload.ts';

export const uploadArtifacts = endpoint({
  post: '/jobs/:id/artifacts',
  summary: 'Keep a file that a running job leaves behind',
  access: provenJobLate(),
  stageOrder: 'ownProof',
  body: 'late',
  fields,
  errors: {
    fileMissing: [400, { error: 'file is missing' }],
    invalid: [400, { error: 'file is invalid' }],
    expiryInvalid: [400, { error: 'expire_in is invalid' }],
    wrongFormat: [400, 'Invalid file format with specified file type'],
    tooLarge: [413, 'file size has reached maximum size limit'],
    exists: [400, 'another artifact of the same type already exists'],
  },
  response: stream,
  async handle({ request, given, prove }, services) {
    const kept = await upload(services, { request, given, prove });
    return isFailure(kept) ? kept : { status: 201, headers: {} };
  },
});

/** contract/runners.md §3.7 */
export const downloadDependency = endpoint({
  get: '/jobs/:id/artifacts',
  summary: 'Get the archive that a job has left, for another one',
  access: byReadersToken(),
  stageOrder: 'ownProof',
  params: { direct_download: optional(boolean) },
  errors: { none: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

/** contract/runners.md §5.5 */
export const downloadArtifacts = endpoint({
  get: '/projects/:id/jobs/:job_id/artifacts',
  summary: 'Get the archive that a job has left',
  access: readingArchive(),
  allowJobToken: true,
  errors: { none: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

/** A file that is not in the archive, or can't be read. */
const NO_FILE = [404, '404 Not Found'] as const;

export const downloadArtifactFile = endpoint({
  get: '/projects/:id/jobs/:job_id/artifacts/*path',
  summary: 'Get one file of the archive that a job has left',
  access: readingArchive(),
  allowJobToken: true,
  params: { path: required(pathText) },
  errors: { none: NOT_FOUND, noFile: NO_FILE },
  response: stream,
  handle: ({ archive, params, request }, services) => sendFileOf(services, archive, params.path, request),
});

export const downloadLatestArtifacts = endpoint({
  get: '/projects/:id/jobs/artifacts/:ref_name/download',
  summary: 'Get the archive of a job of the newest pipeline of a branch or tag that succeeded',
  access: readingLatestArchive(),
  allowJobToken: true,
  errors: { none: NOT_FOUND },
  response: stream,
  handle: ({ archive }, services) => sendArchive(services, archive),
});

export const downloadLatestArtifactFile = endpoint({
  get: '/projects/:id/jobs/artifacts/:ref_name/raw/*path',
  summary: 'Get one file of the archive of a job of the newest pipeline of a branch or tag that succeeded',
  access: readingLatestArchive(),
  allowJobToken: true,
  params: { path: required(pathText) },
  errors: { none: NOT_FOUND, noFile: NO_FILE },
  response: stream,
  handle: ({ archive, params, request }, services) => sendFileOf(services, archive, params.path, request),
});

export const keepArtifacts = endpoint({
  post: '/projects/:id/jobs/:job_id/artifacts/keep',
  summary: 'Keep what a job has left until somebody deletes it',
  access: actingOnJob(),
  errors: { none: NOT_FOUND },
  response: ok(Job),
  async write(uow, { job }) {
    if ((await findArchive(uow, job.id, uow.now)) === null) return fail('none');
    await keepAll(uow, job.id);
    return { ...job, artifacts_expire_at: null };
  },
});

export const deleteJobArtifacts = endpoint({
  delete: '/projects/:id/jobs/:job_id/artifacts',
  summary: 'Delete what a job has left',
  access: readingJob().require((_call, { project, caller }) => {
    if (!mayForce(caller, project)) throw forbidden();
  }, 'project:admin_pipeline'),
  response: noContent,
  write: (uow, { job }) => deleteArtifacts(uow, job.id),
});
