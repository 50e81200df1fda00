import { expressionBuilder, type SqlBool, sql } from 'kysely';
import {
  type Condition,
  counted,
  dueCondition,
  ISSUES,
  narrowedIds,
  notConditions,
  type Range,
  sharedConditions,
  type ThingsOf,
  valueCondition,
} from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { findListedIssues, issueOfProjectVisibleTo, issueVisibleTo, type ListedIssue } from '#authorization/issues.ts';
import type { Reader } from '#database/database.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import { countUpTo, paged } from '#database/page.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { given, type ParameterValues } from '#http/parameters/declarations.ts';
import { epicConditions } from './epic-conditions.ts';
import { iterationConditions } from './iteration-conditions.ts';
import { beginningOf } from './order-prefix.ts';
import { type IssueOrdering, inOrder } from './orders.ts';
import type { issueFilterParams } from './parameters.ts';

/** What it is narrowed to. */
export interface IssueFilter extends Partial<ParameterValues<typeof issueFilterParams>> {
  readonly state?: 'opened' | 'closed' | 'all' | undefined;
  /** Of this milestone, by its id. */
  readonly ofMilestone?: number;
  /** By this user, to this user. */
  readonly byUser?: number;
  readonly toUser?: number;
  /** False: weights, epics and iterations are not asked for. */
  readonly premium: boolean;
}

/** One page of the issues that the caller may read: which they are, and then their rows. */
export async function listIssues(
  db: Reader,
  caller: Caller,
  of: ThingsOf,
  filter: IssueFilter,
  ordering: IssueOrdering,
  page: OffsetRequest,
): Promise<Page<ListedIssue>> {
  const { query, gathered, count } = await counted(db, ISSUES, await issueIds(db, caller, of, filter, ordering.order));
  const first = gathered && of.project ? await beginningOf(db, { query, gathered }, of.project, ordering, page) : null;
  const counting = count ?? (first ? (limit: number) => countUpTo(db, query, limit) : undefined);
  const ids = await paged(db, inOrder(first ?? query, ordering), page, counting);
  const items = await findListedIssues(
    db,
    caller,
    ids.items.map(({ id }) => id),
  );
  return { ...ids, items };
}

/** How many of them there are, by state. */
export async function countIssues(
  db: Reader,
  caller: Caller,
  of: ThingsOf,
  filter: IssueFilter,
): Promise<{ readonly opened: number; readonly closed: number }> {
  const { atOnce } = await issueIds(db, caller, of, filter);
  const rows = await atOnce
    .clearSelect()
    .select(['issues.state', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('issues.state')
    .modifyEnd(mayBeLong)
    .execute();
  const counted = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { opened: counted('opened'), closed: counted('closed') };
}

/** Orders that an index has for the issues of all projects; of others all issues are looked at and sorted. */
const WALKED: readonly IssueOrdering['order'][] = ['created_at', 'updated_at'];

/** The ids of a list, not ordered yet. */
async function issueIds(
  db: Reader,
  caller: Caller,
  of: ThingsOf,
  filter: IssueFilter,
  order: IssueOrdering['order'] = 'created_at',
) {
  const range: Range = { kind: ISSUES, project: of.project ?? null };
  const conditions = [
    ...sharedConditions(db, range, filter),
    ...sharedConditions(db, range, { author_id: filter.byUser, assignee_id: filter.toUser }),
    ...notConditions(db, range, filter.not ?? {}),
    ...ownConditions(db, range, filter),
    ...(filter.premium ? await epicConditions(db, caller, filter.epic_id) : []),
  ];
  return narrowedIds(db, ISSUES, of, conditions, {
    inProject: () => issueOfProjectVisibleTo(caller, of.project!)(expressionBuilder()),
    anywhere: () => issueVisibleTo(caller, db.today)(expressionBuilder()),
    walked: WALKED.includes(order),
  });
}

/** Filters that issues alone have. */
function ownConditions(db: Reader, range: Range, filter: IssueFilter): Condition[] {
  const { confidential, due_date, issue_type, ofMilestone, premium, weight, not } = filter;
  const conditions: Condition[] = [];
  const where = (name: string, value: number | string | boolean | null | undefined) => {
    if (given(value)) conditions.push(valueCondition(range, name, value));
  };
  where('confidential', confidential);
  where('issue_type', issue_type);
  where('milestone_id', ofMilestone);
  if (given(due_date)) conditions.push(dueCondition(db, range, due_date));
  if (!premium) return conditions;
  where('weight', weight);
  conditions.push(...iterationConditions(db, range, filter));
  const without = given(not?.weight) ? [valueCondition(range, 'weight', not.weight)] : [];
  for (const { holds } of [...without, ...iterationConditions(db, range, not ?? {})]) {
    conditions.push({ holds: sql<SqlBool>`coalesce(${holds}, false) = false` });
  }
  return conditions;
}
