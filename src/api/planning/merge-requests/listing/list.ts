import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  applyComputedOrder,
  buildIdQueries,
  columnCondition,
  existsCondition,
  flagCondition,
  type IdOrKeyword,
  INDEXED_ORDERS,
  type IssuableIdQuery,
  type IssuableListParent,
  type IssuableListScope,
  isComputedOrder,
  issuableConditions,
  joinGroupProjects,
  type ListCondition,
  labelPriorityOrder,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_APPROVER,
  MERGE_REQUESTS_BY_REVIEWER,
  negatedConditions,
  orderComputedNullsLast,
  orderNullsLast,
  paginateIds,
  reactionConditions,
  selectUserId,
  toListParent,
  toScopeFilter,
  valueCondition,
  withReferenceContext,
} from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findListedMergeRequests, mayReadMergeRequests, mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import { deploymentsVisibleTo } from '#authorization/visibility.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Parent } from '#http/access/parents.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { isPresent, type ParameterValues } from '#http/parameters/declarations.ts';
import type { MergeRequestListRow } from '../entities.ts';
import type { MergeRequestOrder, mergeRequestFilterParams, projectMergeRequestParams } from './parameters.ts';

/** Filters of a merge request list. */
interface MergeRequestFilter extends Partial<ParameterValues<typeof mergeRequestFilterParams>> {
  /** Id of the milestone whose merge requests are listed. */
  readonly scopeMilestoneId?: number;
  /** Condition of another resource, such as the merge requests of a deployment. */
  readonly extraCondition?: ListCondition;
  /** The caller's id, set by the parameter `scope`: `created_by_me`, `assigned_to_me` or `reviews_for_me`. */
  readonly scopeAuthorId?: number;
  readonly scopeAssigneeId?: number;
  readonly scopeReviewerId?: number;
}

interface MergeRequestOrdering {
  /** `milestone_merge_requests`: lowest label priority first, then newest first. */
  readonly order: MergeRequestOrder | 'milestone_merge_requests';
  readonly direction: 'asc' | 'desc';
}

/** A query for ids of merge requests. Queries with joins, whose type lists more tables, are cast to it. */
export type MergeRequestQuery = IssuableIdQuery<'merge_requests'>;

/** Returns a page of the merge requests that the caller may read. Only ids are sorted; the rows of the page are loaded afterwards. */
export async function listMergeRequests(
  db: Reader,
  caller: Caller,
  parent: IssuableListParent,
  filter: MergeRequestFilter,
  ordering: MergeRequestOrdering,
  page: OffsetRequest,
): Promise<ListPage<MergeRequestListRow>> {
  const queries = await buildIdQueries(db, MERGE_REQUESTS, parent, buildConditions(db, caller, parent, filter), {
    visibleInProject: () => expressionBuilder<never, never>().lit(mayListInProject(caller, parent.project!, filter)),
    visibleAcrossProjects: () => visibleAcrossProjects(caller, db.today, filter),
    hasIndexedOrder: INDEXED_ORDERS.includes(ordering.order),
  });
  const listOrder = { ...ordering, applyOrder: (query: MergeRequestQuery) => applyOrder(query, ordering) };
  const idPage = await paginateIds(db, MERGE_REQUESTS, parent, queries, listOrder, page);
  const rows = await findListedMergeRequests(
    db,
    caller,
    idPage.items.map(({ id }) => id),
  );
  return withReferenceContext(parent, { ...idPage, items: rows });
}

/** Returns whether the list of a project can have items. A filter by deployments matches only if the caller may read deployments. */
function mayListInProject(caller: Caller, project: Project, filter: MergeRequestFilter): boolean {
  return (
    mayReadMergeRequests(caller, project) &&
    (!hasDeploymentFilter(filter) || mayInProject(caller, 'read_deployment', project))
  );
}

/** Returns the same check as `mayListInProject` as a condition on merge requests joined with their projects. */
function visibleAcrossProjects(caller: Caller, today: string, filter: MergeRequestFilter): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'merge_requests' | 'projects'>();
  const visible = mergeRequestVisibleTo(caller, today)(eb);
  if (!hasDeploymentFilter(filter)) return visible;
  return eb.and([visible, deploymentsVisibleTo(caller, today)(expressionBuilder<Schema, 'projects'>())]);
}

/** Returns a page of the milestone's merge requests, in any state, that the caller may read. */
export function listMergeRequestsOfMilestone(
  db: Reader,
  caller: Caller,
  parent: Pick<Parent, 'project' | 'group'>,
  { id }: { readonly id: number },
  page: OffsetRequest,
): Promise<ListPage<MergeRequestListRow>> {
  return listMergeRequests(
    db,
    caller,
    toListParent(parent),
    { scopeMilestoneId: id },
    { order: 'milestone_merge_requests', direction: 'asc' },
    page,
  );
}

interface ProjectListRequest {
  readonly project: Project;
  readonly caller: Caller;
  readonly params: ParameterValues<typeof projectMergeRequestParams>;
  readonly page: OffsetRequest;
}

/** Returns a page of the project's merge requests that match the parameters and `extraCondition`. */
export function listMergeRequestsOfProject(
  db: Reader,
  { project, caller, params, page }: ProjectListRequest,
  extraCondition?: ListCondition,
): Promise<ListPage<MergeRequestListRow>> {
  const filter = { ...params, ...toScopeFilter(caller, params), ...(extraCondition ? { extraCondition } : {}) };
  return listMergeRequests(db, caller, { project }, filter, { order: params.order_by, direction: params.sort }, page);
}

/** Returns a page of the merge requests of the query, newest first, with references relative to the project. */
export async function loadMergeRequestPage(
  db: Reader,
  caller: Caller,
  { id }: Project,
  query: MergeRequestQuery,
  page: OffsetRequest,
): Promise<Page<MergeRequestListRow>> {
  const idPage = await paginate(db, query.orderBy('merge_requests.id', 'desc'), page);
  const rows = await findListedMergeRequests(
    db,
    caller,
    idPage.items.map((row) => row.id),
  );
  return {
    ...idPage,
    items: rows.map((row) => ({ ...row, referenceContext: row.project_id === id ? 'project' : null })),
  };
}

function buildConditions(
  db: Reader,
  caller: Caller,
  parent: IssuableListParent,
  filter: MergeRequestFilter,
): ListCondition[] {
  const scope: IssuableListScope = {
    tables: MERGE_REQUESTS,
    project: parent.project ?? null,
    group: parent.group ?? null,
  };
  const reviewScope: IssuableListScope = { ...scope, tables: MERGE_REQUESTS_BY_REVIEWER };
  const { scopeAuthorId, scopeAssigneeId, scopeReviewerId, merge_user_username: mergeUsername, not } = filter;
  const draft = filter.draft ?? (isPresent(filter.wip) ? filter.wip === 'yes' : null);
  const columns = {
    source_branch: filter.source_branch,
    target_branch: filter.target_branch,
    milestone_id: filter.scopeMilestoneId,
    merged_by_id: filter.merge_user_id,
    project_id: filter.source_project_id,
  };
  return [
    ...(filter.extraCondition ? [filter.extraCondition] : []),
    ...issuableConditions(db, scope, filter),
    ...issuableConditions(db, scope, { author_id: scopeAuthorId, assignee_id: scopeAssigneeId }),
    ...issuableConditions(db, reviewScope, toReviewerFilter(filter)),
    ...issuableConditions(db, reviewScope, { assignee_id: scopeReviewerId }),
    ...negatedConditions(db, scope, not ?? {}),
    ...negatedConditions(db, reviewScope, toReviewerFilter(not ?? {})),
    ...reactionConditions(db, scope, caller, filter),
    ...approvalConditions(db, scope, filter),
    ...deploymentConditions(db, scope, filter),
    ...(draft === null ? [] : [flagCondition(db, scope, 'draft', draft)]),
    ...(isPresent(mergeUsername) ? [mergeUserCondition(db, scope, mergeUsername)] : []),
    ...Object.entries(columns).flatMap(([name, value]) =>
      isPresent(value) ? [valueCondition(db, scope, name, value)] : [],
    ),
  ];
}

type ReviewerFilter = Pick<MergeRequestFilter, 'reviewer_id' | 'reviewer_username'>;

const toReviewerFilter = ({ reviewer_id, reviewer_username }: ReviewerFilter) => ({
  assignee_id: reviewer_id,
  assignee_username: isPresent(reviewer_username) ? [reviewer_username] : null,
});

/** index: merge_requests_by_merged_by, merge_requests_by_project_merged_by */
const mergeUserCondition = (db: Reader, scope: IssuableListScope, username: string): ListCondition =>
  columnCondition(db, scope, 'merged_by_id', (column) => sql<SqlBool>`${column} = ${selectUserId(username)}`);

/** Adds the order to the query. Ties are broken by id, in the same direction. index: merge_requests_by_created_at, merge_requests_by_updated_at, merge_requests_by_title, merge_requests_by_upvotes, merge_requests_by_merged_at_asc, merge_requests_by_merged_at_desc */
function applyOrder(query: MergeRequestQuery, { order, direction }: MergeRequestOrdering): MergeRequestQuery {
  if (order === 'milestone_merge_requests') {
    return orderComputedNullsLast(query, labelPriorityOrder(MERGE_REQUESTS), 'asc').orderBy(
      'merge_requests.id',
      'desc',
    );
  }
  if (order === 'merged_at') {
    return orderNullsLast(query, sql`merge_requests.merged_at`, direction).orderBy('merge_requests.id', direction);
  }
  if (isComputedOrder(order))
    return applyComputedOrder(query, MERGE_REQUESTS, order, direction).orderBy('merge_requests.id', direction);
  return query.orderBy(`merge_requests.${COLUMNS[order]}`, direction).orderBy('merge_requests.id', direction);
}

/** Maps each indexed order to its column. */
const COLUMNS = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  title: 'title_key',
  popularity: 'upvotes',
} as const;

// Filters by approvals and by approvers (contract/planning.md §3.8).

type ApprovalFilter = Pick<
  MergeRequestFilter,
  'approved' | 'approved_by_ids' | 'approved_by_usernames' | 'approver_ids'
>;

/** Returns the conditions of the filters. index: merge_request_approvals_by_user, merge_request_approvals_by_merge_request */
export function approvalConditions(
  db: Reader,
  { project, group }: IssuableListScope,
  { approved, approved_by_ids, approved_by_usernames, approver_ids }: ApprovalFilter,
): ListCondition[] {
  const scope: IssuableListScope = { tables: MERGE_REQUESTS_BY_APPROVER, project, group: group ?? null };
  // The tables of this scope have approvals in the place of assignees.
  const approvedByConditions = (user: IdOrKeyword) => issuableConditions(db, scope, { assignee_id: user });
  return [
    ...(approved === 'yes'
      ? approvedByConditions('Any').map((condition) => ({ ...condition, ids: APPROVED_IDS }))
      : []),
    ...(approved === 'no' ? approvedByConditions('None') : []),
    ...(approved_by_ids ?? []).flatMap(approvedByConditions),
    ...issuableConditions(db, scope, { assignee_username: approved_by_usernames }),
    ...(approver_ids ?? []).map(approverCondition),
  ];
}

/** Ids of approved merge requests. index: merge_request_approvals_by_merge_request */
const APPROVED_IDS = sql`select approval.merge_request_id from merge_request_approvals as approval where true`;

/** Nobody is an approver, because approval rules do not exist. */
const approverCondition = (approver: IdOrKeyword): ListCondition => ({
  predicate: approver === 'None' ? sql<SqlBool>`1 = 1` : sql<SqlBool>`1 = 0`,
});

// Filters by the deployments that shipped a merge request (contract/planning.md §3.8).

type DeploymentFilter = Pick<MergeRequestFilter, 'environment' | 'deployed_before' | 'deployed_after'>;

/** Returns whether one of the filters is set. */
const hasDeploymentFilter = ({ environment, deployed_before, deployed_after }: DeploymentFilter): boolean =>
  isPresent(environment) || isPresent(deployed_before) || isPresent(deployed_after);

/** Returns the conditions that one deployment matches all three filters; none without filters. */
export function deploymentConditions(
  db: Reader,
  scope: IssuableListScope,
  { environment, deployed_before: before, deployed_after: after }: DeploymentFilter,
): ListCondition[] {
  const timePredicates = [
    ...(isPresent(before) ? [sql<SqlBool>`link.finished_at < ${before}`] : []),
    ...(isPresent(after) ? [sql<SqlBool>`link.finished_at > ${after}`] : []),
  ];
  // `environmentCondition` includes the times. They are also a condition of their own, because it may be more selective.
  return [
    ...(timePredicates.length === 0 ? [] : [timeCondition(db, scope, joinPredicates(timePredicates))]),
    ...(isPresent(environment) ? [environmentCondition(db, scope, environment, joinPredicates(timePredicates))] : []),
  ];
}

const SHIPMENTS = sql`deployment_merge_requests as link`;
const IS_OF_ROW = sql<SqlBool>`link.merge_request_id = ${sql.ref('merge_requests.id')}`;

/** Returns the condition that a deployment to the environment at these times shipped the merge request. index: environments_by_name, environments_of_all_by_name, deployment_merge_requests_pkey, deployment_merge_requests_by_environment */
function environmentCondition(
  db: Reader,
  { project, group }: IssuableListScope,
  name: string,
  isInTime: RawBuilder<SqlBool>,
): ListCondition {
  const environments = sql`environments as environment`;
  // SQLite joins the tables of a cross join in the written order.
  const selectShippedIds = (from: RawBuilder<unknown>) =>
    sql`select link.merge_request_id from ${from} and link.environment_id = environment.id and ${isInTime}`;
  const isInProjectOfRow = sql`environment.project_id = merge_requests.project_id and environment.name = ${name}`;
  const shipmentsOfRow = selectShippedIds(
    sql`${environments} cross join ${SHIPMENTS} where ${isInProjectOfRow} and ${IS_OF_ROW}`,
  );
  const condition = existsCondition(db, shipmentsOfRow);
  const shipments = sql`${environments} cross join ${SHIPMENTS}`;
  if (group) {
    const ofGroup = joinGroupProjects(db, group, shipments, sql`environment.project_id`);
    return { ...condition, ids: selectShippedIds(sql`${ofGroup} and environment.name = ${name}`), hasIdsOfGroup: true };
  }
  const isNamed =
    project === null
      ? // The expression of `environments_of_all_by_name`.
        sql<SqlBool>`environment.name || '' = ${name}`
      : sql<SqlBool>`environment.project_id = ${project.id} and environment.name = ${name}`;
  return { ...condition, ids: selectShippedIds(sql`${shipments} where ${isNamed}`) };
}

/** Returns the condition that a deployment that finished at these times shipped the merge request. index: deployment_merge_requests_by_project, deployment_merge_requests_by_finished_at, deployment_merge_requests_by_merge_request */
function timeCondition(
  db: Reader,
  { project, group }: IssuableListScope,
  isInTime: RawBuilder<SqlBool>,
): ListCondition {
  const condition = existsCondition(db, sql`select 1 from ${SHIPMENTS} where ${IS_OF_ROW} and ${isInTime}`);
  const projectId = sql`link.project_id`;
  const select = (from: RawBuilder<unknown>) => sql`select link.merge_request_id from ${from} and ${isInTime}`;
  if (group)
    return { ...condition, ids: select(joinGroupProjects(db, group, SHIPMENTS, projectId)), hasIdsOfGroup: true };
  if (project === null) return { ...condition, ids: select(sql`${SHIPMENTS} where true`) };
  return { ...condition, ids: select(sql`${SHIPMENTS} where ${projectId} = ${project.id}`), isClustered: true };
}

const joinPredicates = (predicates: readonly RawBuilder<SqlBool>[]) =>
  sql<SqlBool>`${sql.join([sql`1 = 1`, ...predicates], sql` and `)}`;
