import { mayInProject } from '#authorization/abilities.ts';
import { jobTokenAccess } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { streamWith } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { firstHeader } from '#http/request/incoming.ts';
import { timestamp } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { readJobAccess } from '../jobs/index.ts';
import { appendToTrace } from './append.ts';
import { createRangeHeader, parseRangeStart } from './content-range.ts';
import { streamTrace } from './get.ts';
import { getUpdateInterval, recordTraceRead } from './update-interval.ts';

export const appendTrace = endpoint({
  patch: '/jobs/:id/trace',
  summary: 'Append to the log of a running job',
  access: jobTokenAccess('runner_jobs_patch_trace_api_limit'),
  stageOrder: 'clientToken',
  body: 'raw',
  params: { debug_trace: optional(boolean, false) },
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
  access: readJobAccess()
    .require((_call, { project, caller, job }) => {
      if (job.debug_mode && !mayInProject(caller, 'read_private_artifacts', project)) throw forbidden();
    })
    .withLabel('project:read_job + Developer in debug mode'),
  response: streamWith({ mediaTypes: ['text/plain'] }),
  async handle({ job }, services) {
    await recordTraceRead(services, job);
    return {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'private, no-store' },
      body: streamTrace(services, job.id),
    };
  },
});
