import { Readable } from 'node:stream';
import { ANONYMOUS } from '#authentication/caller.ts';
import { RUNNING } from '#authentication/tokens/job-tokens.ts';
import { findProvenJob, noteRunnerContact } from '#authorization/job-authentication.ts';
import { type BlobRefused, storeBlob } from '#blobs/index.ts';
import { registrationTokenOf } from '#domain/runners/registration-tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Proven, type ProvenJob, requireRunning } from '#http/access/job-access.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { flowingBody, hasBody, MEBIBYTE } from '#http/request/body.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { changeJob, jobsTurn } from '../processing/index.ts';
import { counting } from './checksum.ts';
import { rangeOf } from './content-range.ts';
import { joinTracePieces } from './join-chunks.ts';
import { masking } from './mask-secrets.ts';
import { seal, unseal } from './partial-secret.ts';
import { endsInPieces, type Growth, growTrace, insertChunk, type TraceChunk } from './store.ts';

interface Appending extends Proven {
  readonly request: Incoming;
  /** Where the bytes of the request are to begin. */
  readonly start: number;
}

type Grown = Failure<'notThere' | 'tooLong'> | { readonly size: number };

/**
 * Appends the body of a request to the log of a job, when that is as long as the sender believes: the bytes flow to
 * disk, secrets masked, and count when all of them are there. Gives the new length; `notThere` has the `Range` of what there is.
 */
export async function append(services: Services, { request, job, token, start }: Appending): Promise<Grown> {
  if (job.trace_size !== start) return fail('notThere', rangeOf(job.trace_size));
  const more = hasBody(request) ? await storeBody(services, { request, job, token, start }) : asItIs(job);
  if (isFailure(more)) {
    await services.runUnitOfWork(
      ANONYMOUS,
      (uow) => changeJob(uow, job.id, RUNNING, 'failed', { failure_reason: 'trace_size_exceeded' }),
      { turn: jobsTurn(job.project_id) },
    );
    return fail('tooLong');
  }
  const grown = await services.runUnitOfWork(ANONYMOUS, async (uow) => {
    if (!(await growTrace(uow, job.id, start, more))) return false;
    if (more.chunk !== null) await addChunk(uow, job.id, more.chunk);
    await noteRunnerContact(uow, job);
    return true;
  });
  return grown ? { size: more.size } : whyNot(services, job, token);
}

async function addChunk(uow: UnitOfWork, jobId: number, chunk: TraceChunk): Promise<void> {
  await insertChunk(uow, jobId, chunk);
  if (await endsInPieces(uow, jobId)) await enqueue(uow, joinTracePieces, { jobId }, { key: String(jobId) });
}

/** How the log is to end, and the chunk that is to be added. */
interface More extends Growth {
  readonly chunk: TraceChunk | null;
}

/** Nothing but a sign of life. */
function asItIs({ trace_size: size, trace_held: held, trace_checksum: checksum }: ProvenJob): More {
  return { size, held, checksum, chunk: null };
}

/** What was held back of the log so far comes before the body, what may begin a secret at the end of that is held back next. */
async function storeBody(services: Services, { request, job, token, start }: Appending): Promise<More | BlobRefused> {
  const { reader } = services.database;
  const { ci_jobs_trace_size_limit: limit } = await readSettings(reader);
  const registrar = { type: 'project', id: job.project_id } as const;
  const registration = await registrationTokenOf(reader, await services.secretKey(), registrar);
  const held = await unseal(services, job.id, job.trace_held);
  const mask = masking([token, registration], held);
  const came = counting(job);
  const [from, most] = [start - held.length, limit * MEBIBYTE];
  const body = flowingBody(request);
  try {
    const pieces = mask.masked(came.counted(body as AsyncIterable<Buffer>));
    const blob = await storeBlob(services.blobs, Readable.from(pieces, { objectMode: false }), {
      maxBytes: Math.max(0, most - from),
    });
    if (isFailure(blob)) return blob;
    const size = from + blob.size + mask.held.length;
    if (size > most) return fail('tooLarge');
    const chunk = blob.size === 0 ? null : { start: from, ...blob };
    return { size, held: await seal(services, job.id, mask.held), checksum: came.checksum, chunk };
  } finally {
    body.destroy();
  }
}

/** Somebody else has been faster, or the job has ended meanwhile. */
async function whyNot({ database }: Services, { id }: ProvenJob, token: string): Promise<Failure<'notThere'>> {
  const now = await findProvenJob(database.reader, id, token);
  if (now === null) throw forbidden();
  requireRunning(now);
  return fail('notThere', rangeOf(now.trace_size));
}
