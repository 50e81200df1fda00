import { provenJob } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream } from '#http/endpoint/responses.ts';
import { single } from '#http/request/incoming.ts';
import { timestamp } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { readingJob } from '../jobs/index.ts';
import { append } from './append.ts';
import { rangeOf, startOf } from './content-range.ts';
import { traceOf } from './get.ts';
import { noteWatched, updateInterval } from './update-interval.ts';

export const appendTrace = endpoint({
  patch: '/jobs/:id/trace',
  summary: 'Append to the log of a running job',
  access: provenJob('runner_jobs_patch_trace_api_limit'),
  stageOrder: 'ownProof',
  body: 'raw',
  errors: {
    noRange: [400, { error: '400 Missing header Content-Range' }],
    notThere: [416, { error: '416 Range Not Satisfiable' }, { Range: '{Range}' }],
    tooLong: [403, '403 Forbidden', { 'Job-Status': 'failed' }],
  },
  response: stream,
  async handle({ job, token, request }, services) {
    const range = single(request.headers['content-range']);
    if (range === undefined) return fail('noRange');
    const grown = await append(services, { request, job, token, start: startOf(range) });
    if (isFailure(grown)) return grown;
    const headers = {
      'Job-Status': job.status,
      ...rangeOf(grown.size),
      'X-GitLab-Trace-Update-Interval': updateInterval(job.trace_watched_at, timestamp(services.clock)),
    };
    return { status: 202, headers };
  },
});

/** contract/runners.md §5.2 */
export const readTrace = endpoint({
  get: '/projects/:id/jobs/:job_id/trace',
  summary: 'Read the log of a job',
  access: readingJob(),
  response: stream,
  async handle({ job }, services) {
    await noteWatched(services, job);
    return {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'private, no-store' },
      body: traceOf(services, job.id),
    };
  },
});
