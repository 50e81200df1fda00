import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { JobRow } from '#domain/jobs.ts';
import { jobTokenAccess } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { streamWith } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { readJobAccess } from '../jobs/index.ts';
import { appendToTrace, createRangeHeader, parseRangeStart } from './append.ts';
import { resolveByteRange } from './byte-range.ts';
import { measureTrace, streamTrace, streamTraceRange } from './get.ts';
import { findLastWatchedAt, updateWatchedAt } from './store.ts';

// While a user watches the log of a running job, its runner sends updates more often (contract/runners.md §3.4).

/** Seconds between two updates of a log that nobody watches. */
const UPDATE_INTERVAL_SECONDS = 60;

/** Seconds between two updates of a watched log. */
const WATCHED_UPDATE_INTERVAL_SECONDS = 3;

/** Time for which a log counts as watched after it was read. */
const WATCHED_MS = 60_000;

/** The minimum interval between two writes of the time of the last read. */
const WATCHED_WRITE_INTERVAL_MS = 20_000;

/** Returns the value of `X-GitLab-Trace-Update-Interval` for a log that was last read at this time. */
function getUpdateInterval(watchedAt: string | null, now: string): string {
  const isWatched = watchedAt !== null && addMilliseconds(watchedAt, WATCHED_MS) > now;
  return String(isWatched ? WATCHED_UPDATE_INTERVAL_SECONDS : UPDATE_INTERVAL_SECONDS);
}

/** Stores that a user reads the log of this job, if it is running; at most once per interval. */
async function recordTraceRead(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { id, status }: Pick<JobRow, 'id' | 'status'>,
): Promise<void> {
  if (!RUNNING_JOB_STATUSES.includes(status)) return;
  const watchedAt = await findLastWatchedAt(database.reader, id);
  if (watchedAt !== null && addMilliseconds(watchedAt, WATCHED_WRITE_INTERVAL_MS) > timestamp(clock)) return;
  await database.transaction((tx) => updateWatchedAt(tx, id));
}

export const appendTrace = endpoint({
  patch: '/jobs/:id/trace',
  summary: 'Append to the log of a running job',
  description:
    'Runners send a part of the log as the raw body; the start of `Content-Range` must be the current length of the log. Otherwise, nothing is appended, and 416 returns the length in the header `Range`. The job token in the log is masked. A log above the setting `ci_jobs_trace_size_limit` fails the job. An empty body only keeps the job alive.',
  access: jobTokenAccess('runner_jobs_patch_trace_api_limit'),
  stageOrder: 'clientToken',
  body: 'raw',
  params: {
    debug_trace: describe(
      optional(boolean, false),
      'Whether the job prints secrets for debugging; read from the first request of a log only.',
    ),
  },
  unknownIdStatus: 403,
  errors: {
    missingRange: [400, { error: '400 Missing header Content-Range' }],
    rangeNotSatisfiable: [416, { error: '416 Range Not Satisfiable' }, { Range: '{Range}' }],
    traceTooLarge: [403, '403 Forbidden', { 'Job-Status': 'failed' }],
  },
  response: streamWith({
    status: 202,
    mediaTypes: [],
    headers: ['Job-Status', 'Range', 'X-GitLab-Trace-Update-Interval'],
  }),
  async handle({ job, token, params, request }, services) {
    const range = firstHeader(request.headers['content-range']);
    if (range === undefined) return fail('missingRange');
    const start = parseRangeStart(range);
    const isDebugMode = params.debug_trace;
    const appendResult = await appendToTrace(services, { request, job, token, start, isDebugMode });
    if (isFailure(appendResult)) return appendResult;
    const headers = {
      'Job-Status': job.status,
      ...createRangeHeader(appendResult.size),
      'X-GitLab-Trace-Update-Interval': getUpdateInterval(job.trace_watched_at, timestamp(services.clock)),
    };
    return { headers };
  },
});

/** contract/runners.md §5.2 */
export const getTrace = endpoint({
  get: '/projects/:id/jobs/:job_id/trace',
  summary: 'Get the log of a job',
  description:
    'Returns the log as plain text, as far as it is stored; empty if there is none. Logs of jobs in debug mode contain secrets, so that they require the Developer role. While somebody reads the log of a running job, its runner sends updates more often. A header `Range` with one range of bytes, as `bytes=100-`, `bytes=0-99` or `bytes=-100`, returns 206 with that part. The header `Content-Range` has its place and the length of the log, `*` while the job runs.',
  access: readJobAccess()
    .require((_call, { project, caller, job }) => {
      if (job.debug_mode && !mayInProject(caller, 'read_private_artifacts', project)) throw forbidden();
    })
    .withLabel('project:read_job + Developer in debug mode'),
  errors: {
    rangeNotSatisfiable: [416, { error: '416 Range Not Satisfiable' }, { 'Content-Range': 'bytes */{size}' }],
  },
  response: streamWith({
    otherStatuses: [206],
    mediaTypes: ['text/plain'],
    headers: ['Accept-Ranges', 'Content-Range'],
  }),
  async handle({ job, request }, services) {
    await recordTraceRead(services, job);
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'Accept-Ranges': 'bytes',
    };
    const rangeHeader = getRangeHeader(request);
    if (rangeHeader === null) return { headers, body: streamTrace(services, job.id) };
    const { size, isComplete } = await measureTrace(services, job.id);
    const range = resolveByteRange(rangeHeader, size);
    if (range === 'unsatisfiable') return fail('rangeNotSatisfiable', { size });
    if (range === null) return { headers, body: streamTrace(services, job.id) };
    const total = isComplete ? size : '*';
    return {
      status: 206,
      headers: { ...headers, 'Content-Range': `bytes ${range.start}-${range.end}/${total}` },
      body: streamTraceRange(services, job.id, range),
    };
  },
});

/** Returns the header `Range`. Null with `If-Range`, because a log has no validator that could match. */
function getRangeHeader({ method, headers }: IncomingRequest): string | null {
  if (method !== 'GET' || headers['if-range'] !== undefined) return null;
  return firstHeader(headers.range) ?? null;
}
