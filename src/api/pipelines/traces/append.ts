import { Readable } from 'node:stream';
import { findProvenJob, noteRunnerContact } from '../../../access/proven-jobs.ts';
import { existingRegistrationToken } from '../../../access/registration-tokens.ts';
import { type StoredBlob, storeBlob } from '../../../blobs/index.ts';
import { type Proven, type ProvenJob, requireRunning } from '../../../http/access/job-access.ts';
import { forbidden } from '../../../http/refusals/refusal.ts';
import { flowingBody, hasBody, MEBIBYTE } from '../../../http/request/body.ts';
import type { Incoming } from '../../../http/request/incoming.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { RUNNING } from '../../../identity/job-tokens.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { changeJob, pipelineTurn } from '../processing/index.ts';
import { masked } from './mask.ts';
import { rangeOf } from './range.ts';
import { growTrace, insertChunk } from './store.ts';

interface Appending extends Proven {
  readonly request: Incoming;
  /** Where the bytes of the request are to begin. */
  readonly start: number;
}

type Grown = Refused<'notThere' | 'tooLong'> | { readonly size: number };

/**
 * Appends the body of a request to the log of a job, when that is as long as the sender believes: the bytes flow to
 * disk, secrets masked, and count when all of them are there. Gives the new length; `notThere` has the `Range` of what there is.
 */
export async function append(rooms: Rooms, { request, job, token, start }: Appending): Promise<Grown> {
  if (job.trace_size !== start) return refused('notThere', rangeOf(job.trace_size));
  const blob = hasBody(request) ? await storeBody(rooms, { request, job, token, start }) : NOTHING;
  if (isRefused(blob)) {
    await rooms.acting(
      NOBODY,
      (act) => changeJob(act, job.id, RUNNING, 'failed', { failure_reason: 'trace_size_exceeded' }),
      { turn: pipelineTurn(job.pipeline_id) },
    );
    return refused('tooLong');
  }
  const grown = await rooms.acting(NOBODY, async (act) => {
    if (!(await growTrace(act, job.id, start, blob.size))) return false;
    if (blob.size > 0) await insertChunk(act, job.id, start, blob);
    await noteRunnerContact(act, job);
    return true;
  });
  return grown ? { size: start + blob.size } : whyNot(rooms, job, token);
}

const NOTHING: StoredBlob = { sha256: '', size: 0 };

async function storeBody(rooms: Rooms, { request, job, token, start }: Appending) {
  const { reader } = rooms.database;
  const { ci_jobs_trace_size_limit: limit } = await readSettings(reader);
  const registrar = { type: 'project', id: job.project_id } as const;
  const registration = await existingRegistrationToken(reader, rooms.secretKey, registrar);
  const body = flowingBody(request);
  try {
    const pieces = masked(body as AsyncIterable<Buffer>, [token, registration ?? '']);
    return await storeBlob(rooms.blobs, Readable.from(pieces, { objectMode: false }), {
      maxBytes: Math.max(0, limit * MEBIBYTE - start),
    });
  } finally {
    body.destroy();
  }
}

/** Somebody else has been faster, or the job has ended meanwhile. */
async function whyNot({ database }: Rooms, { id }: ProvenJob, token: string): Promise<Refused<'notThere'>> {
  const now = await findProvenJob(database.reader, id, token);
  if (now === null) throw forbidden();
  requireRunning(now);
  return refused('notThere', rangeOf(now.trace_size));
}
