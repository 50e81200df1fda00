import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isAmongCollected, isInIds, isInTexts, withoutIndex } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import {
  containsWords,
  containsWordsUnindexed,
  containsWordsUnordered,
  hasTrigrams,
  parseSearchWords,
  selectCandidateIds,
} from '#database/search/word-search.ts';
import { isPresent } from '#http/parameters/declarations.ts';
import type { IssuableListScope } from '../kind.ts';
import { anyLabelConditions, labelConditions } from './label-conditions.ts';
import type { ListCondition } from './query-strategy.ts';
import {
  columnCondition,
  type DueDate,
  existsCondition,
  type FilterKeyword,
  idsCondition,
  isKeyword,
  isUsableInScope,
  listedColumn,
  MAX_INDEXED_VALUES,
  negateCondition,
  notExistsCondition,
  toDueDateRange,
  valueCondition,
} from './row-conditions.ts';

// Filter conditions that lists of issues, merge requests and epics share (contract/planning.md §3.6).

/** `None`, `Any`, or an id. */
export type IdOrKeyword = number | FilterKeyword;
/** Keywords of the filter `milestone_id`. `Upcoming` and `Started` refer to the dates of the milestone. */
type MilestoneKeyword = FilterKeyword | 'Upcoming' | 'Started';

/** Filters of the request. Absent and null filters have no effect. */
interface IssuableFilter {
  readonly state?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly milestone?: string | null | undefined;
  readonly milestone_id?: MilestoneKeyword | null | undefined;
  readonly iids?: readonly number[] | null | undefined;
  readonly search?: string | null | undefined;
  readonly in?: readonly ('title' | 'description')[] | null | undefined;
  readonly author_id?: number | null | undefined;
  readonly author_username?: string | null | undefined;
  readonly assignee_id?: IdOrKeyword | null | undefined;
  readonly assignee_username?: readonly string[] | null | undefined;
  readonly closed_by_id?: number | null | undefined;
  readonly created_before?: string | null | undefined;
  readonly created_after?: string | null | undefined;
  readonly updated_before?: string | null | undefined;
  readonly updated_after?: string | null | undefined;
}

/** Negated filters (`not[...]`). */
type IssuableNotFilter = Pick<
  IssuableFilter,
  | 'labels'
  | 'milestone'
  | 'milestone_id'
  | 'iids'
  | 'author_id'
  | 'author_username'
  | 'assignee_id'
  | 'assignee_username'
>;

/** Returns the conditions that an issuable must fulfil to match the filter. */
export function issuableConditions(db: Reader, scope: IssuableListScope, filter: IssuableFilter): ListCondition[] {
  const conditions: ListCondition[] = [];
  const { state, iids, author_id, author_username, closed_by_id } = filter;
  if (isPresent(state) && state !== 'all') conditions.push(stateCondition(db, scope, state));
  conditions.push(...iidConditions(db, scope, iids));
  if (isPresent(author_id)) conditions.push(authorCondition(db, scope, sql`${author_id}`));
  if (isPresent(author_username)) conditions.push(authorCondition(db, scope, selectUserId(author_username)));
  if (isPresent(closed_by_id)) conditions.push(valueCondition(db, scope, 'closed_by_id', closed_by_id));
  conditions.push(...labelConditions(db, scope, filter.labels ?? []), ...milestoneConditions(db, scope, filter));
  conditions.push(...assigneeConditions(db, scope, filter), ...timeConditions(db, scope, filter));
  return [...conditions, ...searchConditions(db, scope, filter)];
}

/** Returns the condition for a state. No merge request is stored as locked, so that state needs no scan. index: issues_by_project_state, merge_requests_by_project_state */
function stateCondition(db: Reader, scope: IssuableListScope, state: string): ListCondition {
  if (state === 'locked') return { predicate: sql<SqlBool>`1 = 0` };
  return columnCondition(db, scope, 'state', (column) => sql`${column} = ${state}`);
}

/** Returns the conditions that an issuable must fulfil to match the negated filters: the negation of each. */
export function negatedConditions(db: Reader, scope: IssuableListScope, filter: IssuableNotFilter): ListCondition[] {
  const { labels, iids, milestone, milestone_id, author_id, author_username, assignee_id } = filter;
  const positiveConditions: ListCondition[] = [
    ...anyLabelConditions(db, scope, labels ?? []),
    ...milestoneConditions(db, scope, { milestone, milestone_id }),
    ...(isPresent(author_id) ? [authorCondition(db, scope, sql`${author_id}`)] : []),
    ...(isPresent(author_username) ? [authorCondition(db, scope, selectUserId(author_username))] : []),
    ...(isPresent(assignee_id) ? [assigneeCondition(db, scope, assignee_id)] : []),
    ...anyAssigneeConditions(db, scope, filter.assignee_username ?? []),
    ...iidConditions(db, scope, iids),
  ];
  return positiveConditions.map(negateCondition);
}

/** Selects the id of the user with this username. index: users_by_username */
export const selectUserId = (username: string) =>
  sql`(select named_user.id from users as named_user where named_user.username_key = ${foldCase(username)})`;

function iidConditions(db: Reader, scope: IssuableListScope, iids: IssuableFilter['iids']): ListCondition[] {
  if (!isPresent(iids) || iids.length === 0) return [];
  return [columnCondition(db, scope, 'iid', (column) => isInIds(db, column as RawBuilder<number>, iids))];
}

const authorCondition = (db: Reader, scope: IssuableListScope, id: RawBuilder<unknown>) =>
  columnCondition(db, scope, 'author_id', (column) => sql<SqlBool>`${column} = ${id}`);

// --- The milestone: by title or keyword.

/** Returns the conditions of the milestone filters. index: milestones_by_title */
function milestoneConditions(
  db: Reader,
  scope: IssuableListScope,
  { milestone, milestone_id }: IssuableFilter,
): ListCondition[] {
  const conditions: ListCondition[] = [];
  if (isPresent(milestone)) {
    const keyword = (['None', 'Any'] as const).find((candidate) => isKeyword(milestone, candidate));
    if (keyword !== undefined) conditions.push(valueCondition(db, scope, 'milestone_id', keyword));
    else conditions.push(milestoneTitleCondition(db, scope, milestone));
  }
  if (isPresent(milestone_id)) conditions.push(milestoneKeywordCondition(db, scope, milestone_id));
  return conditions;
}

function milestoneKeywordCondition(db: Reader, scope: IssuableListScope, keyword: MilestoneKeyword): ListCondition {
  if (keyword === 'None' || keyword === 'Any') return valueCondition(db, scope, 'milestone_id', keyword);
  if (keyword === 'Upcoming')
    return milestoneCondition(db, scope, sql`${IS_ACTIVE_MILESTONE} and milestone.due_date > ${db.today}`);
  return milestoneCondition(db, scope, sql`${IS_ACTIVE_MILESTONE} and milestone.start_date <= ${db.today}`);
}

const IS_ACTIVE_MILESTONE = sql`milestone.state = 'active'`;

function milestoneCondition(
  db: Reader,
  scope: IssuableListScope,
  milestonePredicate: RawBuilder<SqlBool>,
): ListCondition {
  const milestoneIds = selectMilestoneIds(scope, milestonePredicate);
  return columnCondition(db, scope, 'milestone_id', (column) => sql<SqlBool>`${column} in (${milestoneIds})`);
}

function milestoneTitleCondition(db: Reader, scope: IssuableListScope, title: string): ListCondition {
  const hasTitle = sql<SqlBool>`milestone.title = ${title}`;
  const condition = milestoneCondition(db, scope, hasTitle);
  if (scope.project !== null) return condition;
  // Across all projects many milestones have a title. With a plain IN, SQLite would search each project of a group for each of them,
  // and PostgreSQL would look up the milestone of each row.
  const milestoneId = withoutIndex(db, listedColumn(scope, 'milestone_id'));
  const predicate = isAmongCollected(milestoneId, selectMilestoneIds(scope, hasTitle));
  return { ...condition, predicate, negatedPredicate: sql<SqlBool>`not (${predicate})` };
}

/** Selects the ids of milestones that the scope can use. index: milestones_by_title */
function selectMilestoneIds(scope: IssuableListScope, predicate: RawBuilder<SqlBool>): RawBuilder<unknown> {
  return sql`select milestone.id from milestones as milestone where ${predicate} and ${isUsableInScope(scope, 'milestone')}`;
}

// --- Assignees.

function assigneeConditions(
  db: Reader,
  scope: IssuableListScope,
  { assignee_id, assignee_username }: IssuableFilter,
): ListCondition[] {
  const keyword = findAssigneeKeyword(assignee_username ?? []);
  if (keyword !== null) return [assigneeCondition(db, scope, keyword)];
  const names = [...new Set((assignee_username ?? []).map(foldCase))];
  const remainingNames = names.slice(MAX_INDEXED_VALUES);
  const conditions = names
    .slice(0, MAX_INDEXED_VALUES)
    .map((name) => assignedUserCondition(db, scope, selectUserId(name)));
  if (isPresent(assignee_id)) conditions.unshift(assigneeCondition(db, scope, assignee_id));
  if (remainingNames.length === 0) return conditions;
  const matchCount = sql`select count(*) ${fromAssigneesWithNames(db, scope, remainingNames)}`;
  return [...conditions, { predicate: sql<SqlBool>`(${matchCount}) = ${remainingNames.length}` }];
}

/** Returns the keyword if the only name is `None` or `Any`, else null. */
function findAssigneeKeyword([name, ...others]: readonly string[]): FilterKeyword | null {
  if (name === undefined || others.length > 0) return null;
  return (['None', 'Any'] as const).find((keyword) => isKeyword(name, keyword)) ?? null;
}

/** Returns the assignee table. Throws for epics, whose lists have no filter by assignee. */
function requireAssigneeTable({ tables }: IssuableListScope): string {
  if (tables.assigneeTable === null)
    throw new Error(`Cannot filter by assignee: there is no assignee table for ${tables.table}`);
  return tables.assigneeTable;
}

/**
 * Returns conditions that match issuables assigned to one of the users: one condition for each of the first users, one for all
 * others. Only negated filters use them. Negated, each condition excludes its users.
 */
function anyAssigneeConditions(db: Reader, scope: IssuableListScope, names: readonly string[]): ListCondition[] {
  if (names.length === 0) return [];
  const keyword = findAssigneeKeyword(names);
  if (keyword !== null) return [assigneeCondition(db, scope, keyword)];
  const usernameKeys = names.map(foldCase);
  const conditions = usernameKeys
    .slice(0, MAX_INDEXED_VALUES)
    .map((key) => assignedUserCondition(db, scope, selectUserId(key)));
  const remainingKeys = usernameKeys.slice(MAX_INDEXED_VALUES);
  if (remainingKeys.length === 0) return conditions;
  return [...conditions, existsCondition(db, sql`select 1 ${fromAssigneesWithNames(db, scope, remainingKeys)}`)];
}

/**
 * Returns the `from` clause for the assignees of the row that have one of the usernames.
 * index: issue_assignees_by_issue, users primary key
 */
function fromAssigneesWithNames(
  db: Reader,
  scope: IssuableListScope,
  usernameKeys: readonly string[],
): RawBuilder<unknown> {
  const { tables } = scope;
  return sql`from ${sql.table(requireAssigneeTable(scope))} as assignee_link inner join users as named_user
    on named_user.id = assignee_link.user_id
    where ${sql.ref(`assignee_link.${tables.foreignKey}`)} = ${listedColumn(scope, 'id')} and ${isInTexts(db, sql<string>`named_user.username_key`, usernameKeys)}`;
}

/** Matches issuables with this assignee, with any, or with none. index: issue_assignees_by_issue */
function assigneeCondition(db: Reader, scope: IssuableListScope, assignee: IdOrKeyword): ListCondition {
  const { tables } = scope;
  if (typeof assignee === 'number') return assignedUserCondition(db, scope, sql`${assignee}`);
  const assigneeRows = sql`select 1 from ${sql.table(requireAssigneeTable(scope))} as assignee_link where ${sql.ref(`assignee_link.${tables.foreignKey}`)} = ${listedColumn(scope, 'id')}`;
  return assignee === 'Any' ? existsCondition(db, assigneeRows) : notExistsCondition(db, assigneeRows);
}

/** Matches issuables assigned to the user. index: issue_assignees_by_user, issue_assignees_by_issue */
function assignedUserCondition(db: Reader, scope: IssuableListScope, id: RawBuilder<unknown>): ListCondition {
  const { tables } = scope;
  const foreignKey = sql.ref(`assignee_link.${tables.foreignKey}`);
  const ids = sql`select ${foreignKey} from ${sql.table(requireAssigneeTable(scope))} as assignee_link where assignee_link.user_id = ${id}`;
  return idsCondition(db, scope, ids, foreignKey);
}

// --- Timestamps and dates.

const TIME_BOUNDS = [
  ['created_after', 'created_at', '>='],
  ['created_before', 'created_at', '<='],
  ['updated_after', 'updated_at', '>='],
  ['updated_before', 'updated_at', '<='],
] as const;

function timeConditions(db: Reader, scope: IssuableListScope, filter: IssuableFilter): ListCondition[] {
  return TIME_BOUNDS.flatMap(([name, column, operator]) => {
    const timestamp = filter[name];
    if (!isPresent(timestamp)) return [];
    return [
      columnCondition(db, scope, column, (columnRef) => sql<SqlBool>`${columnRef} ${sql.raw(operator)} ${timestamp}`),
    ];
  });
}

/** Returns the condition for the `due_date` filter. index: issues_of_all_by_due_date */
export function dueDateCondition(db: Reader, scope: IssuableListScope, dueDate: DueDate): ListCondition {
  const days = toDueDateRange(dueDate, db.today);
  if (days === 'none' || days === 'any') return valueCondition(db, scope, 'due_date', days === 'none' ? 'None' : 'Any');
  const { first, last } = days;
  return columnCondition(db, scope, 'due_date', (column) =>
    first === null ? sql<SqlBool>`${column} <= ${last}` : sql<SqlBool>`${column} between ${first} and ${last}`,
  );
}

// --- Search: the title or the description must contain all words.

const SEARCHED_COLUMNS = ['title_key', 'description_key'] as const;

/** Returns the search condition; none if the search has no words. index: issues_title_key_description_key_trigrams */
function searchConditions(
  db: Reader,
  { tables, project }: IssuableListScope,
  { search, in: searchedFields }: IssuableFilter,
): ListCondition[] {
  const words = parseSearchWords(foldCase(search ?? ''));
  if (words.length === 0) return [];
  const searchedColumns = SEARCHED_COLUMNS.filter(
    (column) => !searchedFields?.length || searchedFields.includes(column === 'title_key' ? 'title' : 'description'),
  );
  const predicate = containsWordsUnindexed(db, tables.table, searchedColumns, words);
  // Words that are shorter than a trigram cannot use the search index.
  if (!hasTrigrams(words)) return [{ predicate, isExpensive: true }];
  // Only in one project: across projects the index of the search drives the query.
  const unsortedQueryPredicate =
    project && containsWordsUnordered(db, tables.table, SEARCHED_COLUMNS, words, searchedColumns);
  if (unsortedQueryPredicate) return [{ predicate, unsortedQueryPredicate, isExpensive: true }];
  const inProject = project === null ? sql`1 = 1` : sql`${sql.ref(`${tables.table}.project_id`)} = ${project.id}`;
  const indexedPredicate = containsWords(db, tables.table, SEARCHED_COLUMNS, words, searchedColumns);
  const ids = sql`select ${sql.ref(`${tables.table}.id`)} from ${sql.table(tables.table)} where ${inProject} and ${indexedPredicate}`;
  const idsSuperset = selectCandidateIds(db, tables.table, SEARCHED_COLUMNS, words, searchedColumns);
  return [{ predicate, ids, ...(idsSuperset && { idsSuperset }), isExpensive: true }];
}
