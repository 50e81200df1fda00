import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import type { CallerJob, CallerUser } from '../caller.ts';
import { type IdentifiedUser, identifiedUserColumns } from '../identified-user.ts';

/** Tokens of jobs that run: what those may do, they do as the user whose jobs they are (contract/conventions.md §7 "Job tokens"). */

/** While it has one of these its token is one. */
export const RUNNING: readonly JobStatus[] = ['running', 'canceling'];

export interface JobToken {
  readonly job: CallerJob;
  readonly user: IdentifiedUser;
}

function selectTokens(db: Reader) {
  return selectAll(db).where('jobs.status', 'in', RUNNING);
}

/** Those of jobs that have ended too. */
function selectAll(db: Reader) {
  return db
    .selectFrom('jobs')
    .innerJoin('users', 'users.id', 'jobs.user_id')
    .innerJoin('routes', 'routes.project_id', 'jobs.project_id')
    .where('users.deletion_scheduled_at', 'is', null)
    .select(['jobs.id as job_id', 'jobs.project_id', 'routes.full_path', ...identifiedUserColumns]);
}

// index: jobs_by_token, users primary key, routes_by_project
const tokenByDigest = prepare((db, value: Params<{ digest: string }>) =>
  selectTokens(db).where('jobs.token_digest', '=', value('digest')),
);

// index: jobs primary key, users primary key, routes_by_project
const tokenByJob = prepare((db, value: Params<{ id: number }>) => selectTokens(db).where('jobs.id', '=', value('id')));

/** The running job that has this token; null: there is none, or it runs no more. */
export async function findJobToken(db: Reader, digest: string): Promise<JobToken | null> {
  return asToken(await tokenByDigest.first(db, { digest }));
}

// index: jobs_by_token, users primary key, routes_by_project
const anyByDigest = prepare((db, value: Params<{ digest: string }>) =>
  selectAll(db).where('jobs.token_digest', '=', value('digest')).select('jobs.status'),
);

/** The job that has this token, or had it while it ran. */
export async function findTokenOfAnyJob(db: Reader, digest: string): Promise<(JobToken & { runs: boolean }) | null> {
  const row = await anyByDigest.first(db, { digest });
  if (row === undefined) return null;
  const { status, ...token } = row;
  return { ...asToken(token)!, runs: RUNNING.includes(status) };
}

/** The same by the job, which may have ended since. */
export async function jobTokenById(db: Reader, id: number): Promise<JobToken | null> {
  return asToken(await tokenByJob.first(db, { id }));
}

type Row = NonNullable<Awaited<ReturnType<typeof tokenByDigest.first>>>;

function asToken(row: Row | undefined): JobToken | null {
  if (row === undefined) return null;
  const { job_id: id, project_id: projectId, full_path: projectPath, ...user } = row;
  return { job: { id, projectId, projectPath }, user };
}

/** Whom a job acts as. */
export function jobUser({ id, username, name, email, state, admin, bot, external }: IdentifiedUser): CallerUser {
  return { id, username, name, email, state, admin, bot, external };
}
