import { findProvenJob, isRunning, type ProvenJob } from '#authorization/job-authentication.ts';
import { windowAt } from '#rate-limits/window-counters.ts';
import { type ApplicationSettings, readSettings } from '#settings/settings.ts';
import { forbidden, HttpError, tooManyRequests } from '../errors/http-error.ts';
import { optional, type Parameters, required } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { integer } from '../parameters/types.ts';
import { type Incoming, single } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import { type Access, type AccessCall, access } from './access.ts';

/** Access of runners to the jobs that they run: the job's token is the proof, no user is known (contract/runners.md §3). */

export type { ProvenJob };

const OF_A_JOB = { id: required(integer), token: optional(string) } satisfies Parameters;

type LimitOfJobs = keyof ApplicationSettings & `runner_jobs_${string}_limit`;

/** A job as its runner speaks of it, and the token by which it does. */
export interface Proven {
  readonly job: ProvenJob;
  readonly token: string;
}

/**
 * The job `:id`, whose token came along, while a runner is at work on it; how often it may be asked the setting says. For endpoints of the order `ownProof`.
 */
export function provenJob(limit: LimitOfJobs = 'runner_jobs_endpoints_api_limit'): Access<Proven, typeof OF_A_JOB> {
  return access({
    audience: 'key',
    label: 'job token',
    params: OF_A_JOB,
    authenticate: () => {},
    load: (call) => provenJobOf(call, limit),
    authorize: (_call, { job }) => requireRunning(job),
  });
}

/**
 * The same where the token may stand in a body that is read late: who sends one elsewhere is asked at once, and otherwise
 * `prove` is to be called with what the body says. It refuses in the same words.
 */
export function provenJobLate(): Access<ToProve, typeof OF_A_JOB> {
  return access({
    audience: 'key',
    label: 'job token',
    params: OF_A_JOB,
    authenticate: () => {},
    async load(call) {
      const early = givenToken(call.request, call.params.token) === null ? null : await proofOf(call);
      return {
        prove: async (token: unknown) =>
          early ?? proofOf({ ...call, services: call.services, db: call.db, params: { ...call.params, token } }),
      };
    },
    authorize: () => {},
  });
}

/** What asks for the proof. */
export interface ToProve {
  readonly prove: (token: unknown) => Promise<Proven>;
}

async function proofOf(call: AccessCall): Promise<Proven> {
  const proven = await provenJobOf(call, 'runner_jobs_endpoints_api_limit');
  requireRunning(proven.job);
  return proven;
}

/** Whoever is refused here is a runner that ends its job: what there is not looks like what is not its own. */
async function provenJobOf({ services, db, params, request }: AccessCall, limit: LimitOfJobs): Promise<Proven> {
  const token = givenToken(request, params.token);
  const job = token === null ? null : await findProvenJob(db, params.id as number, token);
  if (job === null || token === null) throw forbidden();
  await limitRunner(services, limit, job.id);
  return { job, token };
}

/** Refuses what comes too often for one of the limits of runners, whose window is a minute. */
export async function limitRunner(services: Services, limit: LimitOfJobs, subject: number | string): Promise<void> {
  const most = (await readSettings(services.database.reader))[limit];
  if (most === 0) return;
  const count = await services.countRequest(windowAt(services.clock.now(), `${limit}:${subject}`, 60));
  if (count > most) throw tooManyRequests(60);
}

/** The token of a job as runners send it: in the header, or as the parameter `token`. */
export function givenToken(request: Incoming, parameter: unknown): string | null {
  const given = single(request.headers['job-token']) || parameter;
  return typeof given === 'string' && given !== '' ? given : null;
}

/** Throws what a runner hears of a job that has ended or is there no more: it stops. */
export function requireRunning<Job extends Pick<ProvenJob, 'status' | 'erased_at'>>(
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
