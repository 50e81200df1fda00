import { ANONYMOUS } from '#authentication/caller.ts';
import type { AuthenticatedJob } from '#authorization/job-authentication.ts';
import { findJob } from '#domain/jobs.ts';
import { access, requireSignedIn } from '#http/access/access.ts';
import { jobTokenAccess } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, streamWith } from '#http/endpoint/responses.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import { fail } from '#runtime/failure.ts';
import { jobsLockKey } from '../processing/index.ts';
import { Job } from './entities.ts';
import { applyJobReport } from './report.ts';

/** Endpoints for runners to report on their jobs. */

export const updateJob = endpoint({
  put: '/jobs/:id',
  summary: 'Update the state of a running job',
  access: jobTokenAccess(),
  stageOrder: 'clientToken',
  params: {
    state: required(oneOf('running', 'success', 'failed')),
    failure_reason: optional(string),
    exit_code: optional(integer),
    checksum: optional(string),
    output: optional(object({ checksum: optional(string), bytesize: optional(integer) })),
  },
  unknownIdStatus: 403,
  response: streamWith({ mediaTypes: [], headers: ['Job-Status'] }),
  async handle({ job, params }, services) {
    const status = await services.runUnitOfWork(ANONYMOUS, (uow) => applyJobReport(uow, job, params), {
      lock: jobsLockKey(job.project_id),
    });
    if (params.state !== 'running') logChecksumMismatch(services, job, params.output?.checksum ?? params.checksum);
    return { headers: { 'Job-Status': status } };
  },
});

/** Requires authentication; callers without a job token get 404. */
const ownJobAccess = access({
  audience: 'tokenHolder',
  label: 'job token',
  authenticate: requireSignedIn,
  load: async ({ caller }) => ({ caller }),
  authorize: () => {},
});

/** contract/runners.md §3.9 */
export const getOwnJob = endpoint({
  get: '/job',
  summary: 'Get the job of the job token',
  access: ownJobAccess,
  allowJobToken: true,
  errors: { noJob: [404, '404 Job Not Found'] },
  response: ok(Job),
  async read(db, { caller: { job } }) {
    return (job && (await findJob(db, job.projectId, job.id))) ?? fail('noJob');
  },
});

/**
 * Logs a warning if the CRC-32 that a runner reports for the job log differs from that of the stored log. The request
 * is not rejected (contract/runners.md §3.5). Checksums of other algorithms are ignored.
 */
function logChecksumMismatch(
  { log }: Pick<Services, 'log'>,
  { id, trace_size, trace_checksum }: AuthenticatedJob,
  reportedChecksum: string | null | undefined,
): void {
  const [, digits] = /^crc32:([0-9a-f]{1,8})$/i.exec(reportedChecksum ?? '') ?? [];
  const checksum = trace_size === 0 ? 0 : trace_checksum;
  if (digits === undefined || checksum === null || Number.parseInt(digits, 16) === checksum) return;
  log.warn({ job_id: id, trace_size }, 'The stored log of a job does not match the checksum that its runner reported');
}
