import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus } from '#database/schema.ts';
import { type CallerJob, type IdentifiedUser, identifiedUserColumns } from '../caller.ts';

/** Tokens of running jobs, which act as the user of the job (contract/conventions.md §7 "Job tokens"). */

/** A job's token is valid only in these statuses. */
export const RUNNING_JOB_STATUSES: readonly JobStatus[] = ['running', 'canceling'];

/** The job and the user that a job token identifies. */
export interface JobToken {
  readonly job: CallerJob;
  readonly user: IdentifiedUser;
}

function selectRunningJobTokens(db: Reader) {
  return selectJobTokens(db).where('jobs.status', 'in', RUNNING_JOB_STATUSES);
}

/** Selects the tokens of all jobs, including finished ones. */
function selectJobTokens(db: Reader) {
  return db
    .selectFrom('jobs')
    .innerJoin('users', 'users.id', 'jobs.user_id')
    .innerJoin('routes', 'routes.project_id', 'jobs.project_id')
    .where('users.deletion_scheduled_at', 'is', null)
    .select(['jobs.id as job_id', 'jobs.project_id', 'routes.full_path', ...identifiedUserColumns]);
}

// index: jobs_by_token, users primary key, routes_by_project
const selectTokenByDigest = prepare((db, value: Params<{ digest: string }>) =>
  selectRunningJobTokens(db).where('jobs.token_digest', '=', value('digest')),
);

// index: jobs primary key, users primary key, routes_by_project
const selectTokenByJobId = prepare((db, value: Params<{ id: number }>) =>
  selectRunningJobTokens(db).where('jobs.id', '=', value('id')),
);

/** Returns the running job with this token; null if there is none or it has finished. */
export async function findJobToken(db: Reader, digest: string): Promise<JobToken | null> {
  return toJobToken(await selectTokenByDigest.first(db, { digest }));
}

// index: jobs_by_token, users primary key, routes_by_project
const selectAnyTokenByDigest = prepare((db, value: Params<{ digest: string }>) =>
  selectJobTokens(db).where('jobs.token_digest', '=', value('digest')).select('jobs.status'),
);

/** Returns the job with this token, running or not. */
export async function findAnyJobToken(db: Reader, digest: string): Promise<(JobToken & { isRunning: boolean }) | null> {
  const row = await selectAnyTokenByDigest.first(db, { digest });
  if (row === undefined) return null;
  const { status, ...token } = row;
  return { ...toJobToken(token)!, isRunning: RUNNING_JOB_STATUSES.includes(status) };
}

/** Returns the token of a job by the job's id; null if it has finished. */
export async function findJobTokenById(db: Reader, id: number): Promise<JobToken | null> {
  return toJobToken(await selectTokenByJobId.first(db, { id }));
}

type JobTokenRow = NonNullable<Awaited<ReturnType<typeof selectTokenByDigest.first>>>;

function toJobToken(row: JobTokenRow | undefined): JobToken | null {
  if (row === undefined) return null;
  const { job_id: id, project_id: projectId, full_path: projectPath, ...user } = row;
  return { job: { id, projectId, projectPath }, user };
}
