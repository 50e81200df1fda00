import { ANONYMOUS } from '#authentication/caller.ts';
import { findJob } from '#domain/jobs.ts';
import { access, requireSignedIn } from '#http/access/access.ts';
import { provenJob } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, stream } from '#http/endpoint/responses.ts';
import { hash, optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { jobsTurn } from '../processing/index.ts';
import { logWrongChecksum } from './checksum-mismatch.ts';
import { Job } from './entities.ts';
import { report } from './report.ts';

/** What runners say of the jobs that they run. */

export const updateJob = endpoint({
  put: '/jobs/:id',
  summary: 'Report the state of a running job',
  access: provenJob(),
  stageOrder: 'ownProof',
  params: {
    state: required(oneOf('running', 'success', 'failed')),
    failure_reason: optional(string),
    exit_code: optional(integer),
    checksum: optional(string),
    output: optional(hash({ checksum: optional(string), bytesize: optional(integer) })),
  },
  response: stream,
  async handle({ job, params }, services) {
    const status = await services.runUnitOfWork(ANONYMOUS, (uow) => report(uow, job, params), {
      turn: jobsTurn(job.project_id),
    });
    if (params.state !== 'running') logWrongChecksum(services, job, params.output?.checksum ?? params.checksum);
    return { headers: { 'Job-Status': status } };
  },
});

/** A running job; whoever else is known hears that he is none. */
const byOwnToken = access({
  audience: 'key',
  label: 'job token',
  authenticate: requireSignedIn,
  load: async ({ caller }) => ({ caller }),
  authorize: () => {},
});

/** contract/runners.md §3.9 */
export const readOwnJob = endpoint({
  get: '/job',
  summary: 'Read the job whose token it is',
  access: byOwnToken,
  allowJobToken: true,
  errors: { noJob: [404, '404 Job Not Found'] },
  response: ok(Job),
  async read(db, { caller: { job } }) {
    return (job && (await findJob(db, job.projectId, job.id))) ?? fail('noJob');
  },
});
