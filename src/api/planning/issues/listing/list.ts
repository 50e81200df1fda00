import { expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  buildIdQueries,
  columnCondition,
  dueDateCondition,
  flagCondition,
  type IdOrKeyword,
  INDEXED_ORDERS,
  ISSUES,
  type IssuableListParent,
  type IssuableListScope,
  idsCondition,
  issuableConditions,
  type ListCondition,
  negatedConditions,
  paginateIds,
  reactionConditions,
  valueCondition,
} from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { epicVisibleTo, findReadableEpic } from '#authorization/epics.ts';
import { findIssuesForList, issueInProjectVisibleTo, issueVisibleTo, type ListedIssue } from '#authorization/issues.ts';
import type { Reader, Schema } from '#database/database.ts';
import { withoutIndex } from '#database/dialect.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { paginateByKey } from '#database/page.ts';
import { type KeysetRequest, type ListPage, type PageRequest, toKeysetPage } from '#http/lists/pagination.ts';
import { isPresent, type ParameterValues } from '#http/parameters/declarations.ts';
import {
  applyIssueOrder,
  ISSUES_KEYSET,
  type IssueIdQuery,
  type IssueOrdering,
  type KEYSET_ORDERS,
  ORDER_COLUMNS,
} from './orders.ts';
import type { issueFilterParams } from './parameters.ts';

/** Filters of an issue list. */
export interface IssueFilter extends Partial<ParameterValues<typeof issueFilterParams>> {
  readonly closed_by_id?: number | null | undefined;
  readonly state?: 'opened' | 'closed' | 'all' | undefined;
  /** Id of the milestone. */
  readonly scopeMilestoneId?: number;
  /** Id of the author, in addition to `author_id`. */
  readonly scopeAuthorId?: number;
  /** Id of an assignee, in addition to `assignee_id`. */
  readonly scopeAssigneeId?: number;
  /** Whether filters by weight, epic and iteration apply; else they are ignored. */
  readonly premium: boolean;
}

/** Returns a page of the issues that the caller may read. Only ids are sorted; the rows of the page are loaded afterwards. */
export async function listIssues(
  db: Reader,
  caller: Caller,
  parent: IssuableListParent,
  filter: IssueFilter,
  ordering: IssueOrdering,
  page: PageRequest,
): Promise<ListPage<ListedIssue>> {
  const idQueries = await buildIssueIdQueries(db, caller, parent, filter, ordering.order);
  if (page.kind === 'keyset') return listIssuesByKey(db, caller, idQueries.query, page);
  const applyOrder = (query: IssueIdQuery) => applyIssueOrder(query, ordering);
  const idPage = await paginateIds(db, ISSUES, parent, idQueries, { ...ordering, applyOrder }, page);
  const items = await findIssuesForList(
    db,
    caller,
    idPage.items.map(({ id }) => id),
  );
  return { ...idPage, items };
}

/**
 * Returns a page that starts after the last row of the previous page.
 * index: issues_by_created_at, issues_by_updated_at, issues_by_title, issues_by_position
 */
async function listIssuesByKey(
  db: Reader,
  caller: Caller,
  query: IssueIdQuery,
  page: KeysetRequest,
): Promise<ListPage<ListedIssue>> {
  const column = ORDER_COLUMNS[page.orderBy as (typeof KEYSET_ORDERS)[number]];
  const { sort: direction, perPage, after } = page;
  const rows = await paginateByKey(query.select(`issues.${column} as key`), `issues.${column}`, 'issues.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  const keyPage = toKeysetPage(page, rows.items, ISSUES_KEYSET, (row) => row.key);
  const ids = keyPage.items.map(({ id }) => id);
  return { ...keyPage, items: await findIssuesForList(db, caller, ids) };
}

/** Counts the issues that the caller may read, by state. */
export async function countIssues(
  db: Reader,
  caller: Caller,
  parent: IssuableListParent,
  filter: IssueFilter,
): Promise<{ readonly opened: number; readonly closed: number }> {
  const { unorderedQuery } = await buildIssueIdQueries(db, caller, parent, filter);
  const rows = await unorderedQuery
    .clearSelect()
    .select(['issues.state', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('issues.state')
    .modifyEnd(LONG_RUNNING)
    .execute();
  const countInState = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { opened: countInState('opened'), closed: countInState('closed') };
}

/** Builds the unsorted queries for the ids of a list. */
async function buildIssueIdQueries(
  db: Reader,
  caller: Caller,
  parent: IssuableListParent,
  filter: IssueFilter,
  order: IssueOrdering['order'] = 'created_at',
) {
  const scope: IssuableListScope = { tables: ISSUES, project: parent.project ?? null, group: parent.group ?? null };
  const conditions = [
    ...issuableConditions(db, scope, filter),
    ...issuableConditions(db, scope, { author_id: filter.scopeAuthorId, assignee_id: filter.scopeAssigneeId }),
    ...negatedConditions(db, scope, filter.not ?? {}),
    ...reactionConditions(db, scope, caller, filter),
    ...issueOnlyConditions(db, scope, filter),
    ...(filter.premium ? await epicConditions(db, caller, filter.epic_id) : []),
  ];
  return buildIdQueries(db, ISSUES, parent, conditions, {
    visibleInProject: () => issueInProjectVisibleTo(caller, parent.project!)(expressionBuilder()),
    visibleAcrossProjects: () => issueVisibleTo(caller, db.today)(expressionBuilder()),
    hasIndexedOrder: INDEXED_ORDERS.includes(order),
  });
}

/** Returns the conditions of filters that only issues have. */
function issueOnlyConditions(db: Reader, scope: IssuableListScope, filter: IssueFilter): ListCondition[] {
  const { confidential, due_date, health_status, issue_type, scopeMilestoneId, premium, weight, not } = filter;
  const conditions: ListCondition[] = [];
  const addValueCondition = (name: string, value: number | string | boolean | null | undefined) => {
    if (isPresent(value)) conditions.push(valueCondition(db, scope, name, value));
  };
  if (isPresent(confidential)) conditions.push(flagCondition(db, scope, 'confidential', confidential));
  addValueCondition('milestone_id', scopeMilestoneId);
  // Issues have no health status.
  if (isPresent(health_status) && health_status !== 'none') conditions.push({ predicate: sql<SqlBool>`1 = 0` });
  if (isPresent(issue_type)) conditions.push(typeCondition(db, scope, issue_type));
  if (isPresent(due_date)) conditions.push(dueDateCondition(db, scope, due_date));
  if (!premium) return conditions;
  addValueCondition('weight', weight);
  conditions.push(...iterationConditions(db, scope, filter));
  const weightConditions = isPresent(not?.weight) ? [valueCondition(db, scope, 'weight', not.weight)] : [];
  for (const { predicate } of [...weightConditions, ...iterationConditions(db, scope, not ?? {})]) {
    // A null result, such as for an issue without a weight, counts as no match.
    conditions.push({ predicate: sql<SqlBool>`coalesce(${predicate}, false) = false` });
  }
  return conditions;
}

/** Returns the condition for a type. The index covers only types other than `issue`, which are rare. index: issues_by_other_type */
function typeCondition(db: Reader, scope: IssuableListScope, type: string): ListCondition {
  // SQLite would search all issues of other types for each project of a group.
  if (type === 'issue') return { predicate: sql<SqlBool>`${withoutIndex(db, sql.ref('issues.issue_type'))} = 'issue'` };
  return columnCondition(db, scope, 'issue_type', (column) => sql`${column} = ${type} and ${column} <> 'issue'`);
}

/**
 * Returns the condition for issues of this epic, of any epic or of no epic. Epics that the caller may not read do not count.
 * index: epic_issues_by_epic, epic_issues_by_issue
 */
async function epicConditions(
  db: Reader,
  caller: Caller,
  epicId: IdOrKeyword | null | undefined,
): Promise<ListCondition[]> {
  if (epicId == null) return [];
  if (epicId === 'Any') return [{ predicate: isInVisibleEpic(db, caller) }];
  if (epicId === 'None') return [{ predicate: sql<SqlBool>`not ${isInVisibleEpic(db, caller)}` }];
  if (!(await findReadableEpic(db, caller, epicId))) return [{ predicate: sql<SqlBool>`1 = 0` }];
  const ids = sql`select association.issue_id from epic_issues as association where association.epic_id = ${epicId}`;
  return [idsCondition(db, { tables: ISSUES }, ids, sql.ref('association.issue_id'))];
}

/** Matches issues of an epic that the caller may read. index: epic_issues_by_issue, epics primary key, namespaces primary key */
function isInVisibleEpic({ today }: Reader, caller: Caller): RawBuilder<SqlBool> {
  const visibleEpic = expressionBuilder<Schema, 'epic_issues'>()
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .select('epics.id')
    .whereRef('epics.id', '=', 'epic_issues.epic_id')
    .where(epicVisibleTo(caller, today));
  return sql<SqlBool>`exists (select 1 from epic_issues where epic_issues.issue_id = issues.id and exists ${visibleEpic})`;
}

/** Filters by the iteration of an issue: by id, by title, or current (contract/planning.md §3.6). */
interface IterationFilter {
  readonly iteration_id?: IdOrKeyword | 'Current' | null | undefined;
  readonly iteration_title?: string | null | undefined;
}

/** Returns the conditions of the iteration filters. index: issues_by_iteration, issues_by_project_iteration */
export function iterationConditions(
  db: Reader,
  scope: IssuableListScope,
  { iteration_id: id, iteration_title: title }: IterationFilter,
): ListCondition[] {
  const conditions: ListCondition[] = [];
  const addIdsCondition = (ids: RawBuilder<unknown>) =>
    conditions.push(columnCondition(db, scope, 'iteration_id', (column) => sql<SqlBool>`${column} in (${ids})`));
  if (id === 'Current') addIdsCondition(selectCurrentIterationIds(scope, db.today));
  else if (id != null) conditions.push(valueCondition(db, scope, 'iteration_id', id));
  if (title != null) addIdsCondition(selectIterationIdsByTitle(title));
  return conditions;
}

/** Selects the ids of iterations with this title. index: iterations_by_title */
const selectIterationIdsByTitle = (title: string) =>
  sql`select iteration.id from iterations as iteration where iteration.title = ${title}`;

/**
 * Selects the ids of the current iterations of the project's ancestor groups, or of all groups.
 * index: iterations_by_iid, iterations_by_due_date
 */
function selectCurrentIterationIds({ project }: IssuableListScope, today: string): RawBuilder<unknown> {
  const currentIds = sql`select iteration.id from iterations as iteration where iteration.start_date <= ${today} and iteration.due_date >= ${today}`;
  if (project === null) return currentIds;
  const ancestorIds = sql`select ancestors.ancestor_id from namespace_closure as ancestors where ancestors.descendant_id = ${project.namespace_id}`;
  return sql`${currentIds} and iteration.group_id in (${ancestorIds})`;
}
