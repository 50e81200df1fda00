import { sql } from 'kysely';
import type { JobOptions } from '#api/pipelines/ci-file/index.ts';
import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { hasRow } from '#database/has-row.ts';
import { lastDeployment } from '#domain/deployments.ts';

/**
 * What of these jobs, which have environments, says what is deployed there, in the order of their ids.
 * index: jobs primary key, pipelines primary key
 */
export async function deployingJobs(db: Reader, ids: readonly number[]) {
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .select([
      'jobs.id',
      'jobs.environment',
      'jobs.environment_url',
      'jobs.user_id',
      'jobs.options',
      'pipelines.ref',
      'pipelines.tag',
      'pipelines.sha',
    ])
    .where(isAmong(db, sql.ref('jobs.id'), ids))
    .orderBy('jobs.id')
    .execute();
  return rows.flatMap(({ environment, options, ...row }) =>
    environment === null ? [] : [{ ...row, name: environment, said: environmentSaid(options) }],
  );
}

/** A job with what its file says of its environment, whose `name` is expanded. */
export type DeployingJob = Awaited<ReturnType<typeof deployingJobs>>[number];

function environmentSaid(options: string): JobOptions['environment'] {
  return (JSON.parse(options) as Partial<JobOptions>).environment ?? null;
}

/** Those of these jobs that have no deployment. index: deployments_by_job */
export async function withoutDeployment(db: Reader, jobs: readonly DeployingJob[]): Promise<DeployingJob[]> {
  if (jobs.length === 0) return [];
  const ids = jobs.map(({ id }) => id);
  const rows = await db
    .selectFrom('deployments')
    .select('job_id')
    .where(isAmong(db, sql.ref('job_id'), ids))
    .execute();
  const having = new Set(rows.map(({ job_id }) => job_id));
  return jobs.filter(({ id }) => !having.has(id));
}

/** After how long the environment stops by itself, as the job has said that has deployed there last. */
export async function autoStopOfLastJob(db: Reader, environmentId: number): Promise<string | null> {
  const last = await lastDeployment(db, environmentId);
  const [job] = last?.job_id == null ? [] : await deployingJobs(db, [last.job_id]);
  return job?.said?.auto_stop_in ?? null;
}

/** Does anything run in the project? index: environments_by_state */
export function runsAnywhere(db: Reader, projectId: number): Promise<boolean> {
  return hasRow(
    db.selectFrom('environments').select('id').where('project_id', '=', projectId).where('state', '=', 'available'),
  );
}

/** So many environments are asked about at once. */
export const PIECE = 100;

/** Environments to which this branch has been deployed, after this id. index: deployments_by_ref */
export async function deployedFrom(
  db: Reader,
  { projectId, branch }: { readonly projectId: number; readonly branch: string },
  after: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('environment_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('ref', '=', branch)
    .where('status', '=', sql.lit('success' as const))
    .where('environment_id', '>', after)
    .orderBy('environment_id')
    .limit(PIECE)
    .execute();
  return rows.map(({ environment_id }) => environment_id);
}

/** index: merge_requests primary key */
export async function readMergeRequest(db: Reader, id: number) {
  const row = await db
    .selectFrom('merge_requests')
    .select(['project_id', 'source_branch'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** The heads that a merge request has had, the latest of them first. index: merge_request_versions_by_merge_request */
export async function versionHeads(db: Reader, mergeRequestId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_request_versions')
    .select('head_commit_sha')
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('id', 'desc')
    .limit(PIECE)
    .execute();
  return rows.map(({ head_commit_sha }) => head_commit_sha);
}
