import type { Readable } from 'node:stream';
import { ANONYMOUS } from '#authentication/caller.ts';
import { linkBlob, type StoredBlob, storeBlob } from '#blobs/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  type AuthenticatedJob,
  type DeferredJobAuthentication,
  type JobAuthentication,
  requireRunning,
} from '#http/access/job-access.ts';
import { invalidParameters } from '#http/errors/http-error.ts';
import { isFilePart, mergeParameters, type RawParameters } from '#http/parameters/brackets.ts';
import { optional, type Parameters, type ParameterValues, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { MEBIBYTE } from '#http/request/body.ts';
import { receiveFile } from '#http/request/file-upload.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { ARTIFACT_TYPES, type ArtifactTypeName, findJobState } from '../jobs/index.ts';
import { resolveExpiry } from './expiry.ts';
import { findArtifact, getAccessibility, getSizeLimit, insertArtifact, setArtifactsExpiry } from './store.ts';

/** The parameters beside the file, in the query or in the body. */
export const uploadFields = {
  artifact_type: optional(oneOf(...(Object.keys(ARTIFACT_TYPES) as ArtifactTypeName[])), 'archive'),
  artifact_format: optional(oneOf('zip', 'gzip', 'raw'), 'zip'),
  expire_in: optional(string),
  accessibility: optional(oneOf('public', 'private', 'none')),
} satisfies Parameters;

type UploadFieldValues = ParameterValues<typeof uploadFields>;

interface UploadContext extends DeferredJobAuthentication {
  readonly request: IncomingRequest;
  /** The query. */
  readonly given: RawParameters;
}

/**
 * Stores an artifact of a running job; the file is streamed to disk. The job must still run when the upload is complete.
 * Uploading the same file again is accepted, another file of the same type is rejected.
 */
export async function uploadArtifact(services: Services, { request, given, authenticate }: UploadContext) {
  let proven: JobAuthentication | undefined;
  const received = await receiveFile(request, 'file', async (file, about) => {
    proven = await authenticate(about.fields.token);
    return { filename: about.filename, blob: await storeFile(services, proven.job, file) };
  });
  const { job } = proven ?? (await authenticate(received.fields.token));
  const all = mergeParameters(given, received.fields);
  if (received.result === undefined)
    return fail(all.file === undefined || isFilePart(all.file) ? 'fileMissing' : 'invalid');
  const { filename, blob } = received.result;
  if (isFailure(blob)) return fail('tooLarge');
  const said = parseFields(all);
  if (ARTIFACT_TYPES[said.artifact_type].format !== said.artifact_format) return fail('wrongFormat');
  const { default_artifacts_expire_in: byDefault } = await loadSettings(services.database.reader);
  return services.runUnitOfWork(
    ANONYMOUS,
    (uow) => insertUploadedArtifact(uow, { job, blob, filename, byDefault, ...said }),
    {
      retryOnUniqueViolation: ['job_artifacts_by_job'],
    },
  );
}

function parseFields(given: RawParameters): UploadFieldValues {
  const problems = new Problems();
  const read = readParameters(uploadFields, given, problems, []);
  if (problems.any) throw invalidParameters(problems.texts, problems.fields);
  return read as UploadFieldValues;
}

async function storeFile({ blobs, database }: Services, { project_id }: AuthenticatedJob, file: Readable) {
  const limit = await getSizeLimit(database.reader, project_id);
  return storeBlob(blobs, file, { maxBytes: limit * MEBIBYTE });
}

interface StoredUpload extends UploadFieldValues {
  readonly job: AuthenticatedJob;
  readonly blob: StoredBlob;
  readonly filename: string;
  readonly byDefault: string;
}

async function insertUploadedArtifact(uow: UnitOfWork, { job, blob, filename, byDefault, ...said }: StoredUpload) {
  requireRunning(await findJobState(uow, job.id));
  const there = await findArtifact(uow, job.id, said.artifact_type);
  if (there !== null) return there.sha256 === blob.sha256 ? undefined : fail('exists');
  const expire_at = resolveExpiry(uow.now, said.expire_in, byDefault);
  if (expire_at === undefined) return fail('expiryInvalid');
  await linkBlob(uow, blob);
  await insertArtifact(uow, {
    job_id: job.id,
    project_id: job.project_id,
    file_type: said.artifact_type,
    file_format: said.artifact_format,
    filename: baseName(filename) || said.artifact_type,
    size: blob.size,
    sha256: blob.sha256,
    accessibility: said.accessibility ?? (await getAccessibility(uow, job.id)),
    expire_at,
  });
  return setArtifactsExpiry(uow, job.id, expire_at);
}

/** Returns the last part of a path, cut to the maximum length of a file name. */
function baseName(filename: string): string {
  const last = filename.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  return [...last.replaceAll('\u0000', '')].slice(0, 255).join('');
}
