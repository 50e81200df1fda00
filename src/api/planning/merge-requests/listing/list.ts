import { expressionBuilder, sql } from 'kysely';
import {
  allIn,
  type Condition,
  counted,
  labelPriority,
  lastWithout,
  lastWithoutComputed,
  MERGE_REQUESTS,
  narrowedIds,
  type Range,
  REVIEWED,
  seenIn,
  sharedConditions,
  type ThingIds,
  type ThingsOf,
  valueCondition,
} from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { findListedMergeRequests, mayReadMergeRequests, mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { paged } from '#database/page.ts';
import type { Parent } from '#http/access/parents.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { given, type ParameterValues } from '#http/parameters/declarations.ts';
import type { MergeRequestListed } from '../entities.ts';
import type { filterParams, MergeRequestOrder } from './parameters.ts';

/** What a list is narrowed to. */
interface Filter extends Partial<ParameterValues<typeof filterParams>> {
  /** Of this milestone, by its id. */
  readonly ofMilestone?: number;
  /** What else holds for them. */
  readonly among?: Condition;
  /** By this user, to this user. */
  readonly byUser?: number;
  readonly toUser?: number;
}

interface Ordering {
  /** `priority`: the least priority of a label first, and then the newest. */
  readonly order: MergeRequestOrder | 'priority';
  readonly direction: 'asc' | 'desc';
}

type Query = ThingIds<'merge_requests'>;

/** One page of the merge requests that the caller may read: which they are, and then their rows. */
export async function listMergeRequests(
  db: Reader,
  caller: Caller,
  of: ThingsOf,
  filter: Filter,
  ordering: Ordering,
  page: OffsetRequest,
): Promise<Page<MergeRequestListed>> {
  const narrowed = await narrowedIds(db, MERGE_REQUESTS, of, conditionsOf(db, of, filter), {
    inProject: () => expressionBuilder<never, never>().lit(mayReadMergeRequests(caller, of.project!)),
    anywhere: () => mergeRequestVisibleTo(caller, db.today)(expressionBuilder()),
    walked: ordering.order === 'created_at' || ordering.order === 'updated_at',
  });
  const { query, count } = await counted(db, MERGE_REQUESTS, narrowed);
  const ids = await paged(db, inOrder(query, ordering), page, count);
  const rows = await findListedMergeRequests(
    db,
    caller,
    ids.items.map(({ id }) => id),
  );
  return seenIn(of, { ...ids, items: rows });
}

/** Those of a milestone that the caller may read, whatever their state. */
export function mergeRequestsOfMilestone(
  db: Reader,
  caller: Caller,
  place: Pick<Parent, 'project' | 'group'>,
  { id }: { readonly id: number },
  page: OffsetRequest,
): Promise<Page<MergeRequestListed>> {
  return listMergeRequests(
    db,
    caller,
    allIn(place),
    { ofMilestone: id },
    { order: 'priority', direction: 'asc' },
    page,
  );
}

function conditionsOf(db: Reader, of: ThingsOf, filter: Filter): Condition[] {
  const range: Range = { kind: MERGE_REQUESTS, project: of.project ?? null };
  const { reviewer_id, reviewer_username, byUser, toUser } = filter;
  const reviewers = given(reviewer_username) ? [reviewer_username] : null;
  const own = {
    draft: filter.draft ?? (given(filter.wip) ? filter.wip === 'yes' : null),
    source_branch: filter.source_branch,
    target_branch: filter.target_branch,
    milestone_id: filter.ofMilestone,
  };
  return [
    ...(filter.among ? [filter.among] : []),
    ...sharedConditions(db, range, filter),
    ...sharedConditions(db, range, { author_id: byUser, assignee_id: toUser }),
    ...sharedConditions(db, { ...range, kind: REVIEWED }, { assignee_id: reviewer_id, assignee_username: reviewers }),
    ...Object.entries(own).flatMap(([name, value]) => (given(value) ? [valueCondition(range, name, value)] : [])),
  ];
}

/** Ties are broken by id, in the same direction. index: merge_requests_by_created_at, merge_requests_by_updated_at, merge_requests_by_title, merge_requests_by_merged_at_asc, merge_requests_by_merged_at_desc */
function inOrder(query: Query, { order, direction }: Ordering): Query {
  if (order === 'priority') {
    return lastWithoutComputed(query, labelPriority(MERGE_REQUESTS), 'asc').orderBy('merge_requests.id', 'desc');
  }
  if (order === 'merged_at') {
    return lastWithout(query, sql`merge_requests.merged_at`, direction).orderBy('merge_requests.id', direction);
  }
  const column = order === 'title' ? 'title_key' : order;
  return query.orderBy(`merge_requests.${column}`, direction).orderBy('merge_requests.id', direction);
}
