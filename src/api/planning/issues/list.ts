import { type SqlBool, sql } from 'kysely';
import { projectArchived } from '../../../access/archived.ts';
import { namespacesInside } from '../../../access/closure.ts';
import { findListedIssues, issueOfProjectVisibleTo, issueVisibleTo, type ListedIssue } from '../../../access/issues.ts';
import type { Project } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import { mayBeLong } from '../../../database/long-statements.ts';
import { countUpTo, paged } from '../../../database/page.ts';
import type { Page } from '../../../http/lists/page.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';
import type { ParameterValues } from '../../../http/parameters/declarations.ts';
import type { Caller } from '../../../identity/caller.ts';
import {
  type Condition,
  dueCondition,
  ISSUES,
  notConditions,
  type Range,
  rarest,
  sharedConditions,
  valueCondition,
} from '../issuables/index.ts';
import { beginningOf } from './beginnings.ts';
import { epicConditions } from './epic-conditions.ts';
import { iterationConditions } from './iteration-conditions.ts';
import type { issueFilterParams } from './list-parameters.ts';
import { type IssueOrdering, inOrder, type Query } from './orders.ts';

/** Whose issues a list is of. */
export type IssuesOf =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: { readonly id: number } | null; readonly project?: undefined; readonly nonArchived: boolean };

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
  of: IssuesOf,
  filter: IssueFilter,
  ordering: IssueOrdering,
  page: OffsetRequest,
): Promise<Page<ListedIssue>> {
  const { query, gathered } = await issueIds(db, caller, of, filter, ordering.order);
  const first = gathered && of.project ? await beginningOf(db, { query, gathered }, of.project, ordering, page) : null;
  const count = first === null ? undefined : (limit: number) => countUpTo(db, query, limit);
  const ids = await paged(db, inOrder(first ?? query, ordering), page, count);
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
  of: IssuesOf,
  filter: IssueFilter,
): Promise<{ readonly opened: number; readonly closed: number }> {
  const { query } = await issueIds(db, caller, of, filter);
  const rows = await query
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

/** The ids of a list, not ordered yet; `gathered`: the same for who has the ids of some that it may hold, unless they are few anyhow. */
async function issueIds(
  db: Reader,
  caller: Caller,
  of: IssuesOf,
  filter: IssueFilter,
  order: IssueOrdering['order'] = 'created_at',
): Promise<{ readonly query: Query; readonly gathered: Query | null }> {
  const range: Range = { kind: ISSUES, project: of.project ?? null };
  const conditions = [
    ...sharedConditions(db, range, filter),
    ...sharedConditions(db, range, { author_id: filter.byUser, assignee_id: filter.toUser }),
    ...notConditions(db, range, filter.not ?? {}),
    ...ownConditions(db, range, filter),
    ...(filter.premium ? await epicConditions(db, caller, filter.epic_id) : []),
  ];
  const few = await rarest(db, range, conditions);
  const others = conditions.filter((one) => one !== few).map(({ holds }) => holds);
  const found = (gathered: boolean) => placed(db, caller, of, gathered).where((eb) => eb.and(others));
  if (few !== null) return { query: found(true).where(sql<SqlBool>`issues.id in (${few.ids})`), gathered: null };
  return { query: found(!of.project && !WALKED.includes(order)), gathered: found(true) };
}

/** The issues of the place that the caller sees. `gathered`: they are found in another way than by their place. */
function placed(db: Reader, caller: Caller, of: IssuesOf, gathered: boolean): Query {
  const issues = db.selectFrom('issues').select('issues.id');
  // The sign changes nothing but the plan.
  const projectId = gathered ? sql<number>`+issues.project_id` : sql.ref<number>('issues.project_id');
  if (of.project) {
    return issues
      .where(sql<SqlBool>`${projectId} = ${of.project.id}`)
      .where(issueOfProjectVisibleTo(caller, of.project));
  }
  let wide = issues.innerJoin('projects', (join) => join.on(sql<SqlBool>`projects.id = ${projectId}`));
  wide = wide.where(issueVisibleTo(caller, db.today));
  if (of.nonArchived) wide = wide.where(projectArchived(false));
  if (of.group !== null) wide = wide.where('projects.namespace_id', 'in', namespacesInside(db, of.group.id));
  return wide as unknown as Query;
}

const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

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
