import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { projectWithRole } from '#authorization/visibility.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery, withoutIndex } from '#database/dialect.ts';
import { type Page, paginate, paginateByKey, scanMatches } from '#database/page.ts';
import type { JobStatus } from '#database/schema.ts';
import { type JobRow, jobColumns } from '#domain/jobs.ts';
import { REPORTER } from '#domain/members/roles.ts';
import {
  type KeysetRequest,
  type KeysetRule,
  type ListPage,
  type OffsetRequest,
  type PageRequest,
  toKeysetPage,
} from '#http/lists/pagination.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';

// Queries for job lists. They do not read `jobs.options`, which may be large.

/** Keyset pagination of a project's jobs (contract/conventions.md §6). */
export const JOBS_KEYSET: KeysetRule = { orders: ['id desc'], cursorKind: 'opaque' };

/** Keyset pagination of a runner's jobs (contract/conventions.md §6). */
export const RUNNER_JOBS_KEYSET: KeysetRule = { orders: ['id desc', 'id asc'], cursorKind: 'opaque' };

/** Filter of a job list. */
type JobFilter = NullablePartial<{
  scope: readonly JobStatus[];
  /** Branch or tag. */
  ref: string;
}>;

/** Lists the latest attempts of a project's jobs, newest first. */
export async function listJobs(
  db: Reader,
  projectId: number,
  filter: JobFilter,
  page: PageRequest,
): Promise<ListPage<JobRow>> {
  const { query, count } = await selectLatestJobs(db, projectId, filter);
  if (page.kind === 'offset') return paginate(db, query.orderBy('jobs.id', 'desc'), page, count);
  return loadKeysetPage(query, page, JOBS_KEYSET);
}

type JobQuery = SelectQueryBuilder<Schema, 'jobs', JobRow>;

async function loadKeysetPage(query: JobQuery, page: KeysetRequest, rule: KeysetRule): Promise<ListPage<JobRow>> {
  const { sort: direction, perPage, after } = page;
  const rows = await paginateByKey(query, 'jobs.id', 'jobs.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return toKeysetPage(page, rows.items, rule);
}

/**
 * Selects the latest attempts of a project's jobs.
 * index: jobs_by_project, jobs_by_status, pipelines_by_ref, jobs_by_pipeline
 */
async function selectLatestJobs(db: Reader, projectId: number, { scope, ref }: JobFilter) {
  const jobsQuery = db.selectFrom('jobs').select(jobColumns);
  const selectOfProject = (projectColumn: RawBuilder<number>) => {
    const jobs = jobsQuery.where(projectColumn, '=', projectId).where(sql<boolean>`not jobs.retried`);
    return scope && scope.length > 0 ? jobs.where('jobs.status', 'in', scope) : jobs;
  };
  const projectColumn = sql.ref<number>('jobs.project_id');
  if (ref == null) return { query: selectOfProject(projectColumn) };
  const pipelineIds = db
    .selectFrom('pipelines')
    .select('pipelines.id')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref);
  // Start from the pipelines of the ref, which may have few of the project's jobs.
  const isInPipelines = isInSubquery(db, sql.ref<number>('jobs.pipeline_id'), pipelineIds);
  const matches = selectOfProject(withoutIndex(db, projectColumn)).where(isInPipelines);
  const { buildMatchCondition: isMatch, count } = await scanMatches(db, matches.clearSelect().select('jobs.id'));
  // Null: there are too many matches to sort them, so the query reads the jobs in the order of the list instead.
  if (isMatch !== null) return { query: jobsQuery.where(isMatch(sql.ref<number>('jobs.id'))), count };
  return { query: selectOfProject(projectColumn).where('jobs.pipeline_id', 'in', pipelineIds), count };
}

/** Lists the jobs of a pipeline, newest first. index: jobs_by_pipeline */
export function listJobsOfPipeline(
  db: Reader,
  pipelineId: number,
  { scope, include_retried }: NullablePartial<{ scope: readonly JobStatus[]; include_retried: boolean }>,
  page: OffsetRequest,
): Promise<Page<JobRow>> {
  let query = db.selectFrom('jobs').select(jobColumns).where('jobs.pipeline_id', '=', pipelineId);
  if (scope && scope.length > 0) query = query.where('jobs.status', 'in', scope);
  if (!include_retried) query = query.where(sql<boolean>`not jobs.retried`);
  return paginate(db, query.orderBy('jobs.id', 'desc'), page);
}

type RunnerJobFilter = NullablePartial<{
  system_id: string;
  status: JobStatus;
  order_by: 'id';
  sort: 'asc' | 'desc';
}>;

/**
 * Lists the jobs of a runner in projects where the caller is at least Reporter.
 * index: jobs_by_runner, jobs_by_runner_status
 */
export function listJobsOfRunner(
  db: Reader,
  caller: SignedInCaller,
  runnerId: number,
  { system_id, status, order_by, sort }: RunnerJobFilter,
  page: PageRequest,
): Promise<ListPage<JobRow>> {
  let query = db.selectFrom('jobs').select(jobColumns).where('jobs.runner_id', '=', runnerId);
  if (status) query = query.where('jobs.status', '=', status);
  if (system_id != null) {
    // index: jobs_by_runner_manager, runner_managers_by_system_id
    query = query.where((eb) =>
      eb(
        'jobs.runner_manager_id',
        'in',
        eb
          .selectFrom('runner_managers')
          .select('runner_managers.id')
          .where('runner_id', '=', runnerId)
          .where('system_id', '=', system_id),
      ),
    );
  }
  if (!isAdministrator(caller)) {
    query = query.where((eb) =>
      eb(
        'jobs.project_id',
        'in',
        eb
          .selectFrom('projects')
          .select('projects.id')
          .where(projectWithRole(caller.user.id, REPORTER, db.today)),
      ),
    );
  }
  if (page.kind === 'keyset') return loadKeysetPage(query, page, RUNNER_JOBS_KEYSET);
  // Without `order_by`, `sort` has no effect.
  return paginate(db, query.orderBy('jobs.id', order_by ? (sort ?? 'desc') : 'asc'), page);
}

/**
 * Returns whether the project keeps the artifacts of this job, because its pipeline is the latest successful one of the
 * ref.
 * index: jobs primary key
 */
export async function isLatestArtifact(db: Reader, jobId: number): Promise<boolean> {
  const row = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .select(['pipelines.id', 'pipelines.project_id', 'pipelines.ref', 'pipelines.tag', 'projects.attributes'])
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  if (row === undefined || !parseStoredAttributes(row).keep_latest_artifact) return false;
  const successfulPipelines = selectSuccessfulPipelines(db, row.project_id, row.ref).where('tag', '=', row.tag);
  return (await successfulPipelines.limit(1).executeTakeFirst())?.id === row.id;
}

/** Returns the ids of at most `limit` successful pipelines of a branch or tag, latest first. */
export async function listSuccessfulPipelineIds(
  db: Reader,
  projectId: number,
  ref: string,
  limit: number,
): Promise<number[]> {
  const pipelines = await selectSuccessfulPipelines(db, projectId, ref).limit(limit).execute();
  return pipelines.map(({ id }) => id);
}

/** index: pipelines_successful */
const selectSuccessfulPipelines = (db: Reader, projectId: number, ref: string) =>
  db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    // Written as a literal, so that the partial index is used.
    .where(sql<SqlBool>`status = 'success'`)
    .orderBy('id', 'desc');

/**
 * Returns whether the artifacts of a job have expired and the project does not keep them; `expireAt` null: never
 * expires.
 */
export async function hasExpired(db: Reader, jobId: number, expireAt: string | null, now: string): Promise<boolean> {
  return expireAt !== null && expireAt <= now && !(await isLatestArtifact(db, jobId));
}
