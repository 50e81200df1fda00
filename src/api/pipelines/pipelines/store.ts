import type { ExpressionBuilder } from 'kysely';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import { type PipelineRow, selectPipelines } from '#authorization/pipelines.ts';
import type { Reader, Schema } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import type { PipelineSource } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import type { listParams } from './parameters.ts';

type ListParams = ParameterValues<typeof listParams>;

/** Filter of a pipeline list; timestamps are inclusive. */
type PipelineFilter = Partial<Omit<ListParams, 'order_by' | 'sort'>>;

/** Lists a page of a project's pipelines. */
export async function listPipelines(
  db: Reader,
  projectId: number,
  filter: ListParams,
  page: OffsetRequest,
): Promise<Page<PipelineRow>> {
  const { order_by, sort: direction } = filter;
  // index: pipelines_by_project, pipelines_by_status, pipelines_by_ref, pipelines_by_updated_at, pipelines_by_project_user
  const query = selectPipelines(db)
    .where('pipelines.project_id', '=', projectId)
    .where((eb) => eb.and(buildFilterConditions(eb, filter)));
  const orderedQuery = order_by === 'id' ? query : query.orderBy(`pipelines.${order_by}`, direction);
  return paginate(db, orderedQuery.orderBy('pipelines.id', direction), page);
}

type PipelineExpressions = ExpressionBuilder<Schema, 'pipelines'>;

/** Builds the conditions of the filters. `queryBuilder` is the expression builder of a query that may join other tables. */
function buildFilterConditions(queryBuilder: unknown, filter: PipelineFilter) {
  const eb = queryBuilder as PipelineExpressions;
  const { username, name, yaml_errors } = filter;
  const conditions = [];
  if (filter.scope != null) conditions.push(buildScopeCondition(eb, filter.scope));
  if (filter.status != null) conditions.push(eb('pipelines.status', '=', filter.status));
  if (filter.ref != null) conditions.push(eb('pipelines.ref', '=', filter.ref));
  if (filter.sha != null) conditions.push(eb('pipelines.sha', '=', filter.sha));
  if (filter.source != null) conditions.push(eb('pipelines.source', '=', filter.source as PipelineSource));
  if (username != null) conditions.push(eb('pipelines.user_id', '=', selectUserId(eb, username)));
  if (name != null) conditions.push(eb('pipelines.name', '=', name));
  if (yaml_errors != null) conditions.push(eb('pipelines.yaml_errors', yaml_errors ? 'is not' : 'is', null));
  if (filter.created_after != null) conditions.push(eb('pipelines.created_at', '>=', filter.created_after));
  if (filter.created_before != null) conditions.push(eb('pipelines.created_at', '<=', filter.created_before));
  if (filter.updated_after != null) conditions.push(eb('pipelines.updated_at', '>=', filter.updated_after));
  if (filter.updated_before != null) conditions.push(eb('pipelines.updated_at', '<=', filter.updated_before));
  return conditions;
}

// index: users_by_username
const selectUserId = (eb: PipelineExpressions, username: string) =>
  eb.selectFrom('users').select('users.id').where('users.username_key', '=', foldCase(username));

/** Builds the condition of a scope; `branches` and `tags` select the newest pipeline of each ref. */
function buildScopeCondition(eb: PipelineExpressions, scope: NonNullable<PipelineFilter['scope']>) {
  if (scope === 'finished') return eb('pipelines.status', 'in', ['success', 'failed', 'canceled']);
  if (scope === 'running' || scope === 'pending') return eb('pipelines.status', '=', scope);
  // index: pipelines_by_ref
  const newer = eb
    .selectFrom('pipelines as newer')
    .select('newer.id')
    .whereRef('newer.project_id', '=', 'pipelines.project_id')
    .whereRef('newer.ref', '=', 'pipelines.ref')
    .whereRef('newer.tag', '=', 'pipelines.tag')
    .whereRef('newer.id', '>', 'pipelines.id');
  return eb.and([eb('pipelines.tag', '=', scope === 'tags'), eb.not(eb.exists(newer))]);
}

/** Returns the newest pipeline of a branch or tag, or null. index: pipelines_by_ref */
export async function findNewestPipelineOfRef(db: Reader, projectId: number, ref: string): Promise<PipelineRow | null> {
  const row = await selectPipelines(db)
    .where('pipelines.project_id', '=', projectId)
    .where('pipelines.ref', '=', ref)
    .orderBy('pipelines.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Lists the variables given with a pipeline, encrypted, in the given order. index: pipeline_variables_by_key */
export async function listEncryptedVariables(db: Reader, pipelineId: number) {
  return db
    .selectFrom('pipeline_variables')
    .select(['key', 'value', 'variable_type', 'raw'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('id')
    .execute();
}

/** Lists a page of the pipelines of a schedule. index: pipelines_by_schedule */
export async function listSchedulePipelines(
  db: Reader,
  scheduleId: number,
  { sort, ...filter }: PipelineFilter & Pick<ListParams, 'sort'>,
  page: OffsetRequest,
): Promise<Page<PipelineRow>> {
  const query = selectPipelines(db)
    .where('pipelines.schedule_id', '=', scheduleId)
    .where((eb) => eb.and(buildFilterConditions(eb, filter)));
  return paginate(db, query.orderBy('pipelines.id', sort), page);
}

/** Returns the newest pipeline of a schedule, or null. index: pipelines_by_schedule */
export async function findNewestPipelineOfSchedule(db: Reader, scheduleId: number): Promise<PipelineRow | null> {
  const newestQuery = selectPipelines(db)
    .where('pipelines.schedule_id', '=', scheduleId)
    .orderBy('pipelines.id', 'desc');
  return (await newestQuery.limit(1).executeTakeFirst()) ?? null;
}

type MergeRequestSource = Pick<MergeRequest, 'id' | 'project_id' | 'source_branch'>;

/** Lists a page of the pipelines that ran on the source branch for any head of the merge request. */
export async function listPipelinesOfMergeRequest(
  db: Reader,
  { id, project_id, source_branch }: MergeRequestSource,
  page: OffsetRequest,
): Promise<Page<PipelineRow>> {
  // index: pipelines_by_ref, merge_request_versions_by_merge_request
  const heads = db.selectFrom('merge_request_versions').select('head_commit_sha').where('merge_request_id', '=', id);
  const query = selectPipelines(db)
    .where('pipelines.project_id', '=', project_id)
    .where('pipelines.ref', '=', source_branch)
    .where('pipelines.tag', '=', false)
    .where('pipelines.sha', 'in', heads);
  return paginate(db, query.orderBy('pipelines.id', 'desc'), page);
}
