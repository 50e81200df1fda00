import { type AuthenticatedJob, findJobByToken, isRunning } from '#authorization/job-authentication.ts';
import { getRateLimitWindow } from '#rate-limits/window-counters.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { TOO_MANY_REQUESTS } from '../errors/error-messages.ts';
import { forbidden, HttpError, tooManyRequests } from '../errors/http-error.ts';
import { optional, type Parameters, required } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { integer } from '../parameters/types.ts';
import { firstHeader, type IncomingRequest } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import { type Access, type AccessCall, access } from './access.ts';

/** Access of runners to their jobs, authenticated by the job's token, without a user (contract/runners.md §3). */

export type { AuthenticatedJob };

const JOB_PARAMETERS = { id: required(integer), token: optional(string) } satisfies Parameters;

/** Period of the rate limits of runners. */
const WINDOW_SECONDS = 60;

/** A setting whose value is the number of requests per job and minute. */
type RunnerLimitSetting = keyof ApplicationSettings & `runner_jobs_${string}_limit`;

/** A running job, and the token that authenticated the request. */
export interface JobAuthentication {
  readonly job: AuthenticatedJob;
  readonly token: string;
}

/**
 * Authenticates the request as the job `:id` by the job's token; the job must be running. `limitSetting` names the setting
 * with the rate limit per job. For endpoints with the stage order `clientToken`.
 */
export function jobTokenAccess(
  limitSetting: RunnerLimitSetting = 'runner_jobs_endpoints_api_limit',
): Access<JobAuthentication, typeof JOB_PARAMETERS> {
  return access({
    audience: 'tokenHolder',
    label: 'job token',
    params: JOB_PARAMETERS,
    authenticate: () => {},
    load: (call) => authenticateJob(call, limitSetting),
    authorize: (_call, { job }) => requireRunning(job),
  }).withErrors({ tooMany: TOO_MANY_REQUESTS });
}

/**
 * As `jobTokenAccess`, for endpoints that may receive the token in a body that is read late. A token in the header or a
 * parameter is checked immediately; otherwise the handler calls `authenticate` with the token of the body. Errors are the
 * same.
 */
export function deferredJobTokenAccess(): Access<DeferredJobAuthentication, typeof JOB_PARAMETERS> {
  return access({
    audience: 'tokenHolder',
    label: 'job token',
    params: JOB_PARAMETERS,
    authenticate: () => {},
    async load(call) {
      const earlyAuthentication =
        getJobToken(call.request, call.params.token) === null ? null : await authenticateRunningJob(call);
      return {
        authenticate: async (token: unknown) =>
          earlyAuthentication ??
          // A spread omits the getters `services` and `db` of a call.
          authenticateRunningJob({ ...call, services: call.services, db: call.db, params: { ...call.params, token } }),
      };
    },
    authorize: () => {},
  }).withErrors({ tooMany: TOO_MANY_REQUESTS });
}

/** Authentication that the handler completes after it has read the body. */
export interface DeferredJobAuthentication {
  readonly authenticate: (token: unknown) => Promise<JobAuthentication>;
}

async function authenticateRunningJob(call: AccessCall): Promise<JobAuthentication> {
  const authentication = await authenticateJob(call, 'runner_jobs_endpoints_api_limit');
  requireRunning(authentication.job);
  return authentication;
}

/**
 * Returns the job and its token. Throws 403 also for a missing job, to hide which jobs exist; the runner then stops the
 * job.
 */
async function authenticateJob(
  { services, db, params, request }: AccessCall,
  limitSetting: RunnerLimitSetting,
): Promise<JobAuthentication> {
  const token = getJobToken(request, params.token);
  const job = token === null ? null : await findJobByToken(db, params.id as number, token);
  if (job === null || token === null) throw forbidden();
  await checkRunnerLimit(services, limitSetting, job.id);
  return { job, token };
}

/** Counts a request of a runner for the rate limit in this setting. Throws 429 over the limit; 0 is no limit. */
export async function checkRunnerLimit(
  services: Services,
  limitSetting: RunnerLimitSetting,
  subject: number | string,
): Promise<void> {
  const maxRequests = (await loadSettings(services.database.reader))[limitSetting];
  if (maxRequests === 0) return;
  const count = await services.countRequest(
    getRateLimitWindow(services.clock.now(), `${limitSetting}:${subject}`, WINDOW_SECONDS),
  );
  if (count > maxRequests) throw tooManyRequests(WINDOW_SECONDS);
}

/** Returns the job token of a request, from the header JOB-TOKEN or the parameter `token`. */
export function getJobToken(request: IncomingRequest, parameter: unknown): string | null {
  const token = firstHeader(request.headers['job-token']) || parameter;
  return typeof token === 'string' && token !== '' ? token : null;
}

/** Throws 403 for a job that is finished, erased or deleted; the runner then stops it. */
export function requireRunning<Job extends Pick<AuthenticatedJob, 'status' | 'erased_at'>>(
  job: Job | null,
): asserts job is Job {
  if (job === null) throw forbidden();
  if (job.erased_at !== null) throw forbidden('Job has been erased!');
  if (!isRunning(job)) throw notRunning(job.status);
}

function notRunning(status: string): HttpError {
  const { status: code, body } = forbidden('Job is not processing on runner');
  return new HttpError(code, body, { 'Job-Status': status });
}
