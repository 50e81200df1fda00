import { type SqlBool, sql } from 'kysely';
import { type PipelineRow, selectPipelines } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';

/** The stage of external statuses, after all stages of the CI file. */
const EXTERNAL_STAGE = 'external';

interface StatusFilterInput
  extends NullablePartial<Record<'ref' | 'stage' | 'name', string> & { pipeline_id: number }> {
  /** Includes retried statuses. */
  readonly all: boolean;
}

interface StatusSort {
  readonly order_by: 'id' | 'pipeline_id';
  readonly sort: 'asc' | 'desc';
}

/** A job or an external status, as serialized. */
export type StatusRow = Awaited<ReturnType<ReturnType<typeof selectStatuses>['execute']>>[number];

/** Returns one page of a commit's statuses: the jobs of its pipelines and external statuses. */
export function listStatuses(
  db: Reader,
  projectId: number,
  sha: string,
  { order_by, sort: direction, ...filter }: StatusFilterInput & StatusSort,
  page: OffsetRequest,
): Promise<Page<StatusRow>> {
  const query = selectStatuses(db, projectId, sha, filter);
  return paginate(db, query.orderBy(order_by, direction).orderBy('id', direction), page);
}

/** Returns the commit status with this id. index: commit_statuses primary key, pipelines primary key */
export async function getCommitStatusRow(db: Reader, id: number): Promise<StatusRow> {
  return selectCommitStatuses(db).where('commit_statuses.id', '=', id).executeTakeFirstOrThrow();
}

function selectStatuses(db: Reader, projectId: number, sha: string, filter: StatusFilterInput) {
  const { ref, stage, name, pipeline_id, all } = filter;
  // index: pipelines_by_sha, pipelines_by_sha_ref
  let pipelineIds = db.selectFrom('pipelines').select('pipelines.id').where('project_id', '=', projectId);
  pipelineIds = pipelineIds.where('sha', '=', sha);
  if (ref != null) pipelineIds = pipelineIds.where('ref', '=', ref);
  if (pipeline_id != null) pipelineIds = pipelineIds.where('pipelines.id', '=', pipeline_id);
  // index: jobs_by_pipeline
  let jobs = selectJobStatuses(db).where('jobs.pipeline_id', 'in', pipelineIds);
  // index: commit_statuses_by_pipeline
  let externalStatuses = selectCommitStatuses(db).where('commit_statuses.pipeline_id', 'in', pipelineIds);
  if (name != null) {
    jobs = jobs.where('jobs.name', '=', name);
    externalStatuses = externalStatuses.where('commit_statuses.name', '=', name);
  }
  if (stage != null) {
    jobs = jobs.where('jobs.stage', '=', stage);
    externalStatuses = externalStatuses.where(sql<SqlBool>`${stage} = ${sql.lit(EXTERNAL_STAGE)}`);
  }
  if (!all) {
    jobs = jobs.where(sql<SqlBool>`not jobs.retried`);
    externalStatuses = externalStatuses.where(sql<SqlBool>`not commit_statuses.retried`);
  }
  return db.selectFrom(jobs.unionAll(externalStatuses).as('statuses')).selectAll();
}

function selectJobStatuses(db: Reader) {
  return db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .select(['jobs.id', 'pipelines.sha', 'pipelines.ref', 'jobs.status', 'jobs.name'])
    .select([sql<string | null>`cast(null as text)`.as('target_url')])
    .select([sql<string | null>`cast(null as text)`.as('description')])
    .select(['jobs.created_at', 'jobs.started_at', 'jobs.finished_at', 'jobs.allow_failure', 'jobs.coverage'])
    .select(['jobs.pipeline_id', 'jobs.user_id']);
}

function selectCommitStatuses(db: Reader) {
  return db
    .selectFrom('commit_statuses')
    .innerJoin('pipelines', 'pipelines.id', 'commit_statuses.pipeline_id')
    .select(['commit_statuses.id', 'pipelines.sha', 'pipelines.ref', 'commit_statuses.status', 'commit_statuses.name'])
    .select(['commit_statuses.target_url', 'commit_statuses.description'])
    .select(['commit_statuses.created_at', 'commit_statuses.started_at', 'commit_statuses.finished_at'])
    .select([sql<boolean>`false`.as('allow_failure'), 'commit_statuses.coverage'])
    .select(['commit_statuses.pipeline_id', 'commit_statuses.user_id']);
}

/** Returns the newest pipeline of a commit (and of the ref, if given). index: pipelines_by_sha, pipelines_by_sha_ref */
export async function findNewestPipelineOfCommit(
  db: Reader,
  projectId: number,
  sha: string,
  ref: string | null,
): Promise<PipelineRow | null> {
  let query = selectPipelines(db).where('pipelines.project_id', '=', projectId).where('pipelines.sha', '=', sha);
  if (ref !== null) query = query.where('pipelines.ref', '=', ref);
  return (await query.orderBy('pipelines.id', 'desc').limit(1).executeTakeFirst()) ?? null;
}
