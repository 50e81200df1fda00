import { expressionBuilder, sql } from 'kysely';
import {
  buildIdQueries,
  chooseCountStrategy,
  type IssuableIdQuery,
  type IssuableListParent,
  type IssuableListScope,
  issuableConditions,
  type ListCondition,
  labelPriorityOrder,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
  orderComputedNullsLast,
  orderNullsLast,
  toListParent,
  valueCondition,
  withReferenceContext,
} from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { findListedMergeRequests, mayReadMergeRequests, mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { paginate } from '#database/page.ts';
import type { Parent } from '#http/access/parents.ts';
import type { ListPage } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { isPresent, type ParameterValues } from '#http/parameters/declarations.ts';
import type { MergeRequestListRow } from '../entities.ts';
import type { MergeRequestOrder, mergeRequestFilterParams } from './parameters.ts';

/** Filters of a merge request list. */
interface MergeRequestFilter extends Partial<ParameterValues<typeof mergeRequestFilterParams>> {
  /** Id of the milestone. */
  readonly ofMilestone?: number;
  /** Additional condition. */
  readonly extraCondition?: ListCondition;
  /** Ids of author and assignee. */
  readonly byUser?: number;
  readonly toUser?: number;
}

interface MergeRequestOrdering {
  /** `priority`: lowest label priority first, then newest first. */
  readonly order: MergeRequestOrder | 'priority';
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
  const queries = await buildIdQueries(db, MERGE_REQUESTS, parent, buildConditions(db, parent, filter), {
    inProject: () => expressionBuilder<never, never>().lit(mayReadMergeRequests(caller, parent.project!)),
    acrossProjects: () => mergeRequestVisibleTo(caller, db.today)(expressionBuilder()),
    hasIndexedOrder: ordering.order === 'created_at' || ordering.order === 'updated_at',
  });
  const { query, count } = await chooseCountStrategy(db, MERGE_REQUESTS, queries);
  const idPage = await paginate(db, applyOrder(query, ordering), page, count);
  const rows = await findListedMergeRequests(
    db,
    caller,
    idPage.items.map(({ id }) => id),
  );
  return withReferenceContext(parent, { ...idPage, items: rows });
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
    { ofMilestone: id },
    { order: 'priority', direction: 'asc' },
    page,
  );
}

function buildConditions(db: Reader, parent: IssuableListParent, filter: MergeRequestFilter): ListCondition[] {
  const scope: IssuableListScope = { tables: MERGE_REQUESTS, project: parent.project ?? null };
  const { reviewer_id, reviewer_username, byUser, toUser } = filter;
  const reviewers = isPresent(reviewer_username) ? [reviewer_username] : null;
  const columns = {
    draft: filter.draft ?? (isPresent(filter.wip) ? filter.wip === 'yes' : null),
    source_branch: filter.source_branch,
    target_branch: filter.target_branch,
    milestone_id: filter.ofMilestone,
  };
  return [
    ...(filter.extraCondition ? [filter.extraCondition] : []),
    ...issuableConditions(db, scope, filter),
    ...issuableConditions(db, scope, { author_id: byUser, assignee_id: toUser }),
    ...issuableConditions(
      db,
      { ...scope, tables: MERGE_REQUESTS_BY_REVIEWER },
      { assignee_id: reviewer_id, assignee_username: reviewers },
    ),
    ...Object.entries(columns).flatMap(([name, value]) =>
      isPresent(value) ? [valueCondition(scope, name, value)] : [],
    ),
  ];
}

/** Adds the order to the query. Ties are broken by id, in the same direction. index: merge_requests_by_created_at, merge_requests_by_updated_at, merge_requests_by_title, merge_requests_by_merged_at_asc, merge_requests_by_merged_at_desc */
function applyOrder(query: MergeRequestQuery, { order, direction }: MergeRequestOrdering): MergeRequestQuery {
  if (order === 'priority') {
    return orderComputedNullsLast(query, labelPriorityOrder(MERGE_REQUESTS), 'asc').orderBy(
      'merge_requests.id',
      'desc',
    );
  }
  if (order === 'merged_at') {
    return orderNullsLast(query, sql`merge_requests.merged_at`, direction).orderBy('merge_requests.id', direction);
  }
  const column = order === 'title' ? 'title_key' : order;
  return query.orderBy(`merge_requests.${column}`, direction).orderBy('merge_requests.id', direction);
}
