import type { Readable } from 'node:stream';
import { ANONYMOUS } from '#authentication/caller.ts';
import { linkBlob, type StoredBlob, storeBlob } from '#blobs/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Proven, type ProvenJob, requireRunning, type ToProve } from '#http/access/job-access.ts';
import { invalidParameters } from '#http/errors/http-error.ts';
import { isFilePart, joined, type Raw } from '#http/parameters/brackets.ts';
import { optional, type Parameters, type ParameterValues, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { MEBIBYTE } from '#http/request/body.ts';
import { receiveFile } from '#http/request/file-upload.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { ARTIFACT_TYPES, type ArtifactTypeName, readStanding } from '../jobs/index.ts';
import { expiryOf } from './expiry.ts';
import { accessibilityOf, findArtifact, insertArtifact, setExpiry, sizeLimitOf } from './store.ts';

/** What comes beside the file, in the query or in the body. */
export const fields = {
  artifact_type: optional(oneOf(...(Object.keys(ARTIFACT_TYPES) as ArtifactTypeName[])), 'archive'),
  artifact_format: optional(oneOf('zip', 'gzip', 'raw'), 'zip'),
  expire_in: optional(string),
  accessibility: optional(oneOf('public', 'private', 'none')),
} satisfies Parameters;

type Fields = ParameterValues<typeof fields>;

interface Upload extends ToProve {
  readonly request: Incoming;
  /** The query. */
  readonly given: Raw;
}

/**
 * Keeps a file that a job leaves behind, which flows to disk as it comes. The job must be running when it is all there. The
 * same file once more is no matter, another one of its kind is refused.
 */
export async function upload(services: Services, { request, given, prove }: Upload) {
  let proven: Proven | undefined;
  const received = await receiveFile(request, 'file', async (file, about) => {
    proven = await prove(about.fields.token);
    return { filename: about.filename, blob: await storeFile(services, proven.job, file) };
  });
  const { job } = proven ?? (await prove(received.fields.token));
  const all = joined(given, received.fields);
  if (received.made === undefined)
    return fail(all.file === undefined || isFilePart(all.file) ? 'fileMissing' : 'invalid');
  const { filename, blob } = received.made;
  if (isFailure(blob)) return fail('tooLarge');
  const said = readFields(all);
  if (ARTIFACT_TYPES[said.artifact_type].format !== said.artifact_format) return fail('wrongFormat');
  const { default_artifacts_expire_in: byDefault } = await readSettings(services.database.reader);
  return services.runUnitOfWork(ANONYMOUS, (uow) => keep(uow, { job, blob, filename, byDefault, ...said }), {
    againWhenTaken: ['job_artifacts_by_job'],
  });
}

function readFields(given: Raw): Fields {
  const problems = new Problems();
  const read = readParameters(fields, given, problems, []);
  if (problems.any) throw invalidParameters(problems.texts, problems.fields);
  return read as Fields;
}

async function storeFile({ blobs, database }: Services, { project_id }: ProvenJob, file: Readable) {
  const limit = await sizeLimitOf(database.reader, project_id);
  return storeBlob(blobs, file, { maxBytes: limit * MEBIBYTE });
}

interface Kept extends Fields {
  readonly job: ProvenJob;
  readonly blob: StoredBlob;
  readonly filename: string;
  readonly byDefault: string;
}

async function keep(uow: UnitOfWork, { job, blob, filename, byDefault, ...said }: Kept) {
  requireRunning(await readStanding(uow, job.id));
  const there = await findArtifact(uow, job.id, said.artifact_type);
  if (there !== null) return there.sha256 === blob.sha256 ? undefined : fail('exists');
  const expire_at = expiryOf(uow.now, said.expire_in, byDefault);
  if (expire_at === undefined) return fail('expiryInvalid');
  await linkBlob(uow, blob);
  await insertArtifact(uow, {
    job_id: job.id,
    project_id: job.project_id,
    file_type: said.artifact_type,
    file_format: said.artifact_format,
    filename: nameOf(filename) || said.artifact_type,
    size: blob.size,
    sha256: blob.sha256,
    accessibility: said.accessibility ?? (await accessibilityOf(uow, job.id)),
    expire_at,
  });
  return setExpiry(uow, job.id, expire_at);
}

/** The last part of a path, as much of it as a file may be called. */
function nameOf(filename: string): string {
  const last = filename.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  return [...last.replaceAll('\u0000', '')].slice(0, 255).join('');
}
