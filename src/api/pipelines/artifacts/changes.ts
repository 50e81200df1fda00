import type { Readable } from 'node:stream';
import { ANONYMOUS } from '#authentication/caller.ts';
import { registerBlob, type StoredBlob, storeBlob } from '#blobs/store.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  type AuthenticatedJob,
  type DeferredJobAuthentication,
  type JobAuthentication,
  requireRunning,
} from '#http/access/job-access.ts';
import { invalidParameters } from '#http/errors/http-error.ts';
import { isFilePart, mergeParameters, type RawParameters } from '#http/parameters/brackets.ts';
import {
  describe,
  optional,
  type Parameters,
  type ParameterValues,
  readParameters,
} from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { MEBIBYTE } from '#http/request/body.ts';
import { receiveFile } from '#http/request/file-upload.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { parsePositiveSeconds } from '#text/durations.ts';
import { ARTIFACT_TYPES, type ArtifactTypeName, findJobState, isLatestArtifact } from '../jobs/index.ts';
import {
  deleteExpiredArtifact,
  findArtifact,
  getAccessibility,
  getMaxArtifactSizeMib,
  insertArtifact,
  listExpiredArtifacts,
  setArtifactsExpiry,
} from './store.ts';

/** Number of artifacts that one query lists. */
const EXPIRY_BATCH_SIZE = 200;

/** Deletes expired artifacts, except those that a project keeps for the latest successful pipelines of its refs. */
export const expireArtifacts = defineJob({
  kind: 'expire_artifacts',
  async handle({ database, clock }: Pick<Services, 'clock' | 'database'>) {
    const now = timestamp(clock);
    for (let cursor: { readonly expire_at: string; readonly id: number } | null = null; ; ) {
      const batch = await listExpiredArtifacts(database.reader, cursor, now, EXPIRY_BATCH_SIZE);
      for (const { id, job_id } of batch) {
        // Checked in the same transaction: a user may keep the artifact, or a pipeline may succeed, in the meantime.
        await database.transaction(async (tx) => {
          if (!(await isLatestArtifact(tx, job_id))) await deleteExpiredArtifact(tx, id);
        });
      }
      cursor = batch.at(-1) ?? null;
      if (batch.length < EXPIRY_BATCH_SIZE) return;
    }
  },
});

export const expireArtifactsDaily: Schedule<Services> = {
  name: 'expire_artifacts',
  cron: '50 2 * * *',
  job: expireArtifacts,
};

/** Parameters sent with the file, in the query or in the body. */
export const uploadFields = {
  artifact_type: optional(oneOf(...(Object.keys(ARTIFACT_TYPES) as ArtifactTypeName[])), 'archive'),
  artifact_format: optional(oneOf('zip', 'gzip', 'raw'), 'zip'),
  expire_in: describe(
    optional(string),
    'Duration, such as `3 days` or `2 hrs 5 min`, or `never`; absent: the setting `default_artifacts_expire_in`.',
  ),
  accessibility: describe(
    optional(oneOf('public', 'private', 'none')),
    'Who may download the artifact; absent: as `artifacts:access` of the CI file says.',
  ),
} satisfies Parameters;

type UploadFieldValues = ParameterValues<typeof uploadFields>;

interface UploadContext extends DeferredJobAuthentication {
  readonly request: IncomingRequest;
  /** Parameters of the query. */
  readonly rawParams: RawParameters;
}

/**
 * Stores an artifact of a running job; the file is streamed to disk. The job must still be running when the upload
 * is complete. The same file may be uploaded again; another file of the same type is rejected.
 */
export async function uploadArtifact(
  services: Pick<Services, 'database' | 'blobs' | 'runUnitOfWork'>,
  { request, rawParams, authenticate }: UploadContext,
) {
  let authentication: JobAuthentication | undefined;
  const upload = await receiveFile(request, 'file', async (file, part) => {
    authentication = await authenticate(part.fields.token);
    return { filename: part.filename, blob: await storeFile(services, authentication.job, file) };
  });
  // Without a file part, the request is not authenticated yet.
  const { job } = authentication ?? (await authenticate(upload.fields.token));
  const rawFields = mergeParameters(rawParams, upload.fields);
  if (upload.result === undefined)
    return fail(rawFields.file === undefined || isFilePart(rawFields.file) ? 'fileMissing' : 'fileInvalid');
  const { filename, blob } = upload.result;
  if (isFailure(blob)) return fail('fileTooLarge');
  const fields = parseFields(rawFields);
  if (ARTIFACT_TYPES[fields.artifact_type].format !== fields.artifact_format) return fail('wrongFormat');
  const { default_artifacts_expire_in: defaultExpireIn } = await loadSettings(services.database.reader);
  return services.runUnitOfWork(
    ANONYMOUS,
    (uow) => insertUploadedArtifact(uow, { job, blob, filename, defaultExpireIn, ...fields }),
    {
      retryOnUniqueViolation: ['job_artifacts_by_job'],
    },
  );
}

function parseFields(rawFields: RawParameters): UploadFieldValues {
  const problems = new Problems();
  const values = readParameters(uploadFields, rawFields, problems, []);
  if (problems.any) throw invalidParameters(problems.texts, problems.fields);
  return values as UploadFieldValues;
}

async function storeFile(
  { blobs, database }: Pick<Services, 'database' | 'blobs'>,
  { project_id }: AuthenticatedJob,
  file: Readable,
) {
  const limitMib = await getMaxArtifactSizeMib(database.reader, project_id);
  return storeBlob(blobs, file, { maxBytes: limitMib * MEBIBYTE });
}

interface StoredUpload extends UploadFieldValues {
  readonly job: AuthenticatedJob;
  readonly blob: StoredBlob;
  readonly filename: string;
  readonly defaultExpireIn: string;
}

async function insertUploadedArtifact(
  uow: UnitOfWork,
  { job, blob, filename, defaultExpireIn, ...fields }: StoredUpload,
) {
  requireRunning(await findJobState(uow, job.id));
  const existingArtifact = await findArtifact(uow, job.id, fields.artifact_type);
  if (existingArtifact !== null)
    return existingArtifact.sha256 === blob.sha256 ? undefined : fail('artifactTypeExists');
  const expire_at = resolveExpiry(uow.now, fields.expire_in, defaultExpireIn);
  if (expire_at === undefined) return fail('expiryInvalid');
  await registerBlob(uow, blob);
  await insertArtifact(uow, {
    job_id: job.id,
    project_id: job.project_id,
    file_type: fields.artifact_type,
    file_format: fields.artifact_format,
    filename: getBaseName(filename) || fields.artifact_type,
    size: blob.size,
    sha256: blob.sha256,
    accessibility: fields.accessibility ?? (await getAccessibility(uow, job.id)),
    expire_at,
  });
  return setArtifactsExpiry(uow, job.id, expire_at);
}

/** Returns the last part of a path, cut to the maximum length of a file name. */
function getBaseName(filename: string): string {
  const lastSegment = filename.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  return [...lastSegment.replaceAll('\u0000', '')].slice(0, 255).join('');
}

/**
 * Returns the expiry timestamp for `expireIn`, or for the default if it is missing. Null: never; undefined: invalid
 * duration.
 */
function resolveExpiry(
  now: string,
  expireIn: string | null | undefined,
  defaultExpireIn: string,
): string | null | undefined {
  const duration = (expireIn || defaultExpireIn).trim();
  if (/^never$/i.test(duration)) return null;
  // The setting uses `0` for "never".
  if (!expireIn && duration === '0') return null;
  const seconds = parsePositiveSeconds(duration);
  return seconds === null ? undefined : addMilliseconds(now, seconds * 1000);
}
