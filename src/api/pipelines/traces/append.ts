import { Readable } from 'node:stream';
import { ANONYMOUS } from '#authentication/caller.ts';
import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import { findJobByToken, recordRunnerContact } from '#authorization/job-authentication.ts';
import { type BlobFailure, storeBlob } from '#blobs/index.ts';
import { getRegistrationToken } from '#domain/runners/registration-tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AuthenticatedJob, type JobAuthentication, requireRunning } from '#http/access/job-access.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { bodyStream, hasBody, MEBIBYTE } from '#http/request/body.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { changeJobStatus, jobsLockKey } from '../processing/index.ts';
import { createChecksumCounter } from './checksum.ts';
import { rangeHeader } from './content-range.ts';
import { joinTraceChunks } from './join-chunks.ts';
import { createSecretMasker } from './mask-secrets.ts';
import { decryptPartialSecret, encryptPartialSecret } from './partial-secret.ts';
import { endsInSmallChunks, growTrace, insertChunk, type TraceChunk, type TraceState } from './store.ts';

interface AppendRequest extends JobAuthentication {
  readonly request: IncomingRequest;
  /** Where the bytes of the request are to begin. */
  readonly start: number;
}

type AppendResult = Failure<'notThere' | 'tooLong'> | { readonly size: number };

/**
 * Appends the body of a request to the log of a job, when that is as long as the sender believes: the bytes flow to
 * disk, secrets masked, and count when all of them are there. Gives the new length; `notThere` has the `Range` of what there is.
 */
export async function appendToTrace(
  services: Services,
  { request, job, token, start }: AppendRequest,
): Promise<AppendResult> {
  if (job.trace_size !== start) return fail('notThere', rangeHeader(job.trace_size));
  const more = hasBody(request) ? await storeBody(services, { request, job, token, start }) : unchangedState(job);
  if (isFailure(more)) {
    await services.runUnitOfWork(
      ANONYMOUS,
      (uow) => changeJobStatus(uow, job.id, RUNNING_JOB_STATUSES, 'failed', { failure_reason: 'trace_size_exceeded' }),
      { lock: jobsLockKey(job.project_id) },
    );
    return fail('tooLong');
  }
  const grown = await services.runUnitOfWork(ANONYMOUS, async (uow) => {
    if (!(await growTrace(uow, job.id, start, more))) return false;
    if (more.chunk !== null) await addChunk(uow, job.id, more.chunk);
    await recordRunnerContact(uow, job);
    return true;
  });
  return grown ? { size: more.size } : findAppendFailure(services, job, token);
}

async function addChunk(uow: UnitOfWork, jobId: number, chunk: TraceChunk): Promise<void> {
  await insertChunk(uow, jobId, chunk);
  if (await endsInSmallChunks(uow, jobId)) await enqueue(uow, joinTraceChunks, { jobId }, { key: String(jobId) });
}

/** How the log is to end, and the chunk that is to be added. */
interface AppendedState extends TraceState {
  readonly chunk: TraceChunk | null;
}

/** Nothing but a sign of life. */
function unchangedState({
  trace_size: size,
  trace_held: held,
  trace_checksum: checksum,
}: AuthenticatedJob): AppendedState {
  return { size, held, checksum, chunk: null };
}

/** What was held back of the log so far comes before the body, what may begin a secret at the end of that is held back next. */
async function storeBody(
  services: Services,
  { request, job, token, start }: AppendRequest,
): Promise<AppendedState | BlobFailure> {
  const { reader } = services.database;
  const { ci_jobs_trace_size_limit: limit } = await loadSettings(reader);
  const registrar = { type: 'project', id: job.project_id } as const;
  const registration = await getRegistrationToken(reader, await services.secretKey(), registrar);
  const held = await decryptPartialSecret(services, job.id, job.trace_held);
  const mask = createSecretMasker([token, registration], held);
  const came = createChecksumCounter(job);
  const [from, most] = [start - held.length, limit * MEBIBYTE];
  const body = bodyStream(request);
  try {
    const pieces = mask.masked(came.counted(body as AsyncIterable<Buffer>));
    const blob = await storeBlob(services.blobs, Readable.from(pieces, { objectMode: false }), {
      maxBytes: Math.max(0, most - from),
    });
    if (isFailure(blob)) return blob;
    const size = from + blob.size + mask.held.length;
    if (size > most) return fail('tooLarge');
    const chunk = blob.size === 0 ? null : { start: from, ...blob };
    return { size, held: await encryptPartialSecret(services, job.id, mask.held), checksum: came.checksum, chunk };
  } finally {
    body.destroy();
  }
}

/** Somebody else has been faster, or the job has ended meanwhile. */
async function findAppendFailure(
  { database }: Services,
  { id }: AuthenticatedJob,
  token: string,
): Promise<Failure<'notThere'>> {
  const now = await findJobByToken(database.reader, id, token);
  if (now === null) throw forbidden();
  requireRunning(now);
  return fail('notThere', rangeHeader(now.trace_size));
}
