import { sql } from 'kysely';
import type { JobOptions } from '#api/pipelines/ci-file/index.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';
import { findLastDeployment } from '#domain/deployments.ts';
import { loadJobOptions } from '#domain/jobs.ts';

/**
 * Returns the jobs that have an environment, with their ref and environment options, ordered by id.
 * index: jobs primary key, pipelines primary key
 */
export async function loadDeployingJobs(db: Reader, ids: readonly number[]) {
  const rows = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .select([
      'jobs.id',
      'jobs.environment',
      'jobs.environment_url',
      'jobs.user_id',
      'pipelines.ref',
      'pipelines.tag',
      'pipelines.sha',
    ])
    .where(isInIds(db, sql.ref('jobs.id'), ids))
    .orderBy('jobs.id')
    .execute();
  const options = await loadJobOptions<JobOptions>(db, ids, ['environment']);
  return rows.flatMap(({ environment, ...row }) =>
    environment === null
      ? []
      : [{ ...row, name: environment, environmentOptions: options.get(row.id)?.environment ?? null }],
  );
}

/** A job with the environment options of its CI file; `name` is expanded. */
export type DeployingJob = Awaited<ReturnType<typeof loadDeployingJobs>>[number];

/** Returns the jobs without a deployment. index: deployments_by_job */
export async function filterWithoutDeployment(db: Reader, jobs: readonly DeployingJob[]): Promise<DeployingJob[]> {
  if (jobs.length === 0) return [];
  const ids = jobs.map(({ id }) => id);
  const rows = await db
    .selectFrom('deployments')
    .select('job_id')
    .where(isInIds(db, sql.ref('job_id'), ids))
    .execute();
  const jobIdsWithDeployment = new Set(rows.map(({ job_id }) => job_id));
  return jobs.filter(({ id }) => !jobIdsWithDeployment.has(id));
}

/** Returns `auto_stop_in` of the job of the last deployment, or null. */
export async function findAutoStopOfLastJob(db: Reader, environmentId: number): Promise<string | null> {
  const lastDeployment = await findLastDeployment(db, environmentId);
  const [job] = lastDeployment?.job_id == null ? [] : await loadDeployingJobs(db, [lastDeployment.job_id]);
  return job?.environmentOptions?.auto_stop_in ?? null;
}

/** Returns whether the project has an available environment. index: environments_by_state */
export function hasAvailableEnvironment(db: Reader, projectId: number): Promise<boolean> {
  return hasRow(
    db.selectFrom('environments').select('id').where('project_id', '=', projectId).where('state', '=', 'available'),
  );
}

/** Number of environments per query. */
export const BATCH_SIZE = 100;

/** Maximum number of versions of a merge request whose commits count; older versions are ignored. */
const MAX_VERSIONS = 100;

/** Returns the next batch of ids, greater than `afterId`, of environments to which this branch was deployed. index: deployments_by_ref */
export async function listEnvironmentIdsDeployedFrom(
  db: Reader,
  { projectId, branch }: { readonly projectId: number; readonly branch: string },
  afterId: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('deployments')
    .select('environment_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('ref', '=', branch)
    .where('status', '=', sql.lit('success' as const))
    .where('environment_id', '>', afterId)
    .orderBy('environment_id')
    .limit(BATCH_SIZE)
    .execute();
  return rows.map(({ environment_id }) => environment_id);
}

/** Returns the project and source branch of a merge request, or null. index: merge_requests primary key */
export async function findMergeRequest(db: Reader, id: number) {
  const row = await db
    .selectFrom('merge_requests')
    .select(['project_id', 'source_branch'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the head commits of the versions of a merge request, newest first. index: merge_request_versions_by_merge_request */
export async function listVersionHeads(db: Reader, mergeRequestId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_request_versions')
    .select('head_commit_sha')
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('id', 'desc')
    .limit(MAX_VERSIONS)
    .execute();
  return rows.map(({ head_commit_sha }) => head_commit_sha);
}
