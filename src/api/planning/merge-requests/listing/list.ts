import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import {
  applyComputedOrder,
  buildIdQueries,
  columnCondition,
  INDEXED_ORDERS,
  type IssuableIdQuery,
  type IssuableListParent,
  type IssuableListScope,
  isComputedOrder,
  issuableConditions,
  type ListCondition,
  labelPriorityOrder,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
  negatedConditions,
  orderComputedNullsLast,
  orderNullsLast,
  paginateIds,
  reactionConditions,
  selectUserId,
  toListParent,
  valueCondition,
  withReferenceContext,
} from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { deploymentsVisibleTo } from '#authorization/deployments.ts';
import { findListedMergeRequests, mayReadMergeRequests, mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader, Schema } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Parent } from '#http/access/parents.ts';
import type { ListPage } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { isPresent, type ParameterValues } from '#http/parameters/declarations.ts';
import type { MergeRequestListRow } from '../entities.ts';
import { approvalConditions } from './approval-conditions.ts';
import { deploymentConditions, hasDeploymentFilter } from './deployment-conditions.ts';
import type { MergeRequestOrder, mergeRequestFilterParams } from './parameters.ts';

/** Filters of a merge request list. */
interface MergeRequestFilter extends Partial<ParameterValues<typeof mergeRequestFilterParams>> {
  /** Id of the milestone. */
  readonly scopeMilestoneId?: number;
  /** Additional condition. */
  readonly extraCondition?: ListCondition;
  /** Ids of author, assignee and reviewer. */
  readonly scopeAuthorId?: number;
  readonly scopeAssigneeId?: number;
  readonly scopeReviewerId?: number;
}

interface MergeRequestOrdering {
  /** `milestone_merge_requests`: lowest label priority first, then newest first. */
  readonly order: MergeRequestOrder | 'milestone_merge_requests';
  readonly direction: 'asc' | 'desc';
}

type MergeRequestQuery = IssuableIdQuery<'merge_requests'>;

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

/** A filter by deployments matches only in projects whose deployments the caller may read. */
function mayListInProject(caller: Caller, project: Project, filter: MergeRequestFilter): boolean {
  return (
    mayReadMergeRequests(caller, project) &&
    (!hasDeploymentFilter(filter) || mayInProject(caller, 'read_deployment', project))
  );
}

/** As `mayListInProject`, for merge requests joined with their projects. */
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

function buildConditions(
  db: Reader,
  caller: Caller,
  parent: IssuableListParent,
  filter: MergeRequestFilter,
): ListCondition[] {
  const scope: IssuableListScope = { tables: MERGE_REQUESTS, project: parent.project ?? null };
  const reviewScope: IssuableListScope = { ...scope, tables: MERGE_REQUESTS_BY_REVIEWER };
  const { scopeAuthorId, scopeAssigneeId, scopeReviewerId, merge_user_username: mergeUsername, not } = filter;
  const columns = {
    draft: filter.draft ?? (isPresent(filter.wip) ? filter.wip === 'yes' : null),
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
