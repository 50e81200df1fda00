import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { findEmojiName } from '#api/planning/awards/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { existsWithoutJoin, isAmongCollected, withoutIndex } from '#database/dialect.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import { isPresent } from '#http/parameters/declarations.ts';
import { addDays } from '#runtime/clock.ts';
import type { IssuableListScope } from '../kind.ts';
import type { ListCondition } from './query-strategy.ts';

// Conditions on a column of the listed rows, or on the existence of related rows, from which filters are built.

/** `None` matches rows without a value, `Any` rows with a value. */
export type FilterKeyword = 'None' | 'Any';

/** Returns whether the value is this keyword, ignoring case. */
export const isKeyword = (value: string, keyword: FilterKeyword) => value.toLowerCase() === keyword.toLowerCase();

/** Returns the reference to a column of the listed table. */
export const listedColumn = ({ tables }: Pick<IssuableListScope, 'tables'>, column: string) =>
  sql.ref(`${tables.table}.${column}`);

/** Columns of issues and merge requests with an index across all projects and one within a project. */
const COMMON_INDEXED_COLUMNS = [
  'author_id',
  'closed_by_id',
  'confidential',
  'draft',
  'issue_type',
  'merged_by_id',
  'milestone_id',
  'created_at',
  'updated_at',
  'source_branch',
  'target_branch',
];
/** Columns whose indexes SQLite may use in a sorted list: they have the order of a list, or find few rows. */
const ORDER_COLUMNS: readonly string[] = ['created_at', 'updated_at', 'iid', 'project_id'];
/** Columns with an index across all projects that contains only rows with a value. */
const PARTLY_INDEXED_COLUMNS: readonly string[] = ['due_date', 'weight', 'iteration_id'];
const INDEXED_COLUMNS = [...COMMON_INDEXED_COLUMNS, ...PARTLY_INDEXED_COLUMNS, 'project_id'];
const INDEXED_COLUMNS_IN_PROJECT = [...COMMON_INDEXED_COLUMNS, 'iid', 'iteration_id', 'state'];
const INDEXED_EPIC_COLUMNS = ['author_id'];
/** Columns of issues and merge requests with an index that contains the project too. */
const COLUMNS_INDEXED_BY_PROJECT: readonly string[] = [
  'author_id',
  'confidential',
  'draft',
  'issue_type',
  'merged_by_id',
  'created_at',
  'updated_at',
  'source_branch',
  'target_branch',
];

function getIndexedColumns({ tables, project }: IssuableListScope): readonly string[] {
  if (tables.table === 'epics') return INDEXED_EPIC_COLUMNS;
  return project === null ? INDEXED_COLUMNS : INDEXED_COLUMNS_IN_PROJECT;
}

/** Returns a condition on a column of the listed table. Includes an id subquery if the column has an index. */
export function columnCondition(
  db: Reader,
  scope: IssuableListScope,
  name: string,
  condition: (column: RawBuilder<unknown>) => RawBuilder<SqlBool>,
): ListCondition {
  const column = listedColumn(scope, name);
  const conditions = {
    // With an index of equal values, SQLite would read and sort all of their rows.
    predicate: condition(ORDER_COLUMNS.includes(name) ? column : withoutIndex(db, column)),
    unsortedQueryPredicate: condition(column),
    // SQLite would use the index of the column across all projects.
    ...(!ORDER_COLUMNS.includes(name) && { repeatsSearchInGroups: true as const }),
  };
  if (!getIndexedColumns(scope).includes(name)) return conditions;
  const table = sql`${sql.table(scope.tables.table)} as candidate`;
  const isMatch = condition(sql.ref(`candidate.${name}`));
  if (scope.group && COLUMNS_INDEXED_BY_PROJECT.includes(name))
    return {
      ...conditions,
      ids: sql`select candidate.id from ${joinGroupProjects(db, scope.group, table, sql`candidate.project_id`)} and ${isMatch}`,
      hasIdsOfGroup: true,
    };
  const isInProject = scope.project === null ? sql`1 = 1` : sql`candidate.project_id = ${scope.project.id}`;
  return { ...conditions, ids: sql`select candidate.id from ${table} where ${isInProject} and ${isMatch}` };
}

/**
 * Joins the projects of the group and its subgroups with the rows of a table, and begins a `where` clause. The engines read
 * the rows of each project by an index that begins with the project. index: projects_by_namespace
 */
export const joinGroupProjects = (
  db: Reader,
  { id }: { readonly id: number },
  table: RawBuilder<unknown>,
  projectId: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  // SQLite joins the tables of a cross join in the written order.
  sql`projects as group_project cross join ${table}
    where group_project.namespace_id in (${selectDescendantIds(db, id)}) and ${projectId} = group_project.id`;

type ExistenceCondition = Required<Pick<ListCondition, 'predicate' | 'unsortedQueryPredicate' | 'negatedPredicate'>>;

/** Matches issuables for which the subquery returns a row. */
export function existsCondition(db: Reader, subquery: RawBuilder<unknown>): ExistenceCondition {
  const exists = sql<SqlBool>`exists (${subquery})`;
  return {
    predicate: existsWithoutJoin(db, subquery),
    unsortedQueryPredicate: exists,
    negatedPredicate: sql<SqlBool>`not ${exists}`,
  };
}

/** Matches issuables for which the subquery returns no row. */
export function notExistsCondition(db: Reader, subquery: RawBuilder<unknown>): ExistenceCondition {
  const { predicate, unsortedQueryPredicate, negatedPredicate } = existsCondition(db, subquery);
  return {
    predicate: sql<SqlBool>`not ${predicate}`,
    unsortedQueryPredicate: negatedPredicate,
    negatedPredicate: unsortedQueryPredicate,
  };
}

/**
 * Matches issuables whose id is in `idSubquery`. The subquery has a `where` clause and selects the expression `foreignKey`.
 */
export function idsCondition(
  db: Reader,
  listScope: Pick<IssuableListScope, 'tables'>,
  idSubquery: RawBuilder<unknown>,
  foreignKey: RawBuilder<unknown>,
): ExistenceCondition & Required<Pick<ListCondition, 'ids'>> {
  const rowSubquery = sql`${idSubquery} and ${foreignKey} = ${listedColumn(listScope, 'id')}`;
  return { ...existsCondition(db, rowSubquery), ids: idSubquery };
}

/** Matches issuables whose column equals the value; `None` matches null and `Any` matches every other value. */
export function valueCondition(
  db: Reader,
  scope: IssuableListScope,
  name: string,
  value: number | string | boolean,
): ListCondition {
  if (value === 'None') return nullCondition(db, scope, name);
  return columnCondition(db, scope, name, (column) =>
    value === 'Any' ? sql<SqlBool>`${column} is not null` : sql<SqlBool>`${column} = ${value}`,
  );
}

/** Matches issuables without a value in the column. */
function nullCondition(db: Reader, scope: IssuableListScope, name: string): ListCondition {
  const { ids, ...condition } = columnCondition(db, scope, name, (column) => sql<SqlBool>`${column} is null`);
  return ids === undefined || PARTLY_INDEXED_COLUMNS.includes(name) ? condition : { ...condition, ids };
}

/** Matches issuables with or without a flag. The index contains the few rows with the flag. index: issues_confidential, merge_requests_drafts */
export function flagCondition(
  db: Reader,
  scope: IssuableListScope,
  name: 'confidential' | 'draft',
  isSet: boolean,
): ListCondition {
  // The engines use the partial index only for a condition without a parameter.
  const { ids, ...condition } = columnCondition(db, scope, name, (column) =>
    isSet ? sql<SqlBool>`${column}` : sql<SqlBool>`not ${column}`,
  );
  return isSet && ids !== undefined ? { ...condition, ids } : condition;
}

/** Negates a condition. A condition that is null for a row counts as no match, so its negation matches the row. */
export function negateCondition({ predicate, negatedPredicate }: ListCondition): ListCondition {
  return {
    predicate: sql<SqlBool>`coalesce(${predicate}, false) = false`,
    ...(negatedPredicate && { unsortedQueryPredicate: negatedPredicate }),
  };
}

/**
 * Returns the condition for labels or milestones that belong to the project of the scope or to an ancestor group. Without a project,
 * all match. index: labels_by_project, labels_by_group, namespace_closure_pkey
 */
export function isUsableInScope({ project }: IssuableListScope, table: 'label' | 'milestone'): RawBuilder<SqlBool> {
  if (project === null) return sql`1 = 1`;
  const ancestorIds = sql`select ancestors.ancestor_id from namespace_closure as ancestors where ancestors.descendant_id = ${project.namespace_id}`;
  const [projectIdColumn, groupIdColumn] = [sql.ref(`${table}.project_id`), sql.ref(`${table}.group_id`)];
  return sql`(${projectIdColumn} = ${project.id} or ${groupIdColumn} in (${ancestorIds}))`;
}

/**
 * Maximum number of values of a filter that become separate conditions. The query can start from the most selective one.
 * The remaining values become one condition, which counts matches in a subquery.
 */
export const MAX_INDEXED_VALUES = 8;

// Date ranges relative to today, as `YYYY-MM-DD`, for the `due_date` filter (contract/planning.md §3.6).

/** Values of the filter `due_date`. */
export const DUE_DATES = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
] as const;
export type DueDate = (typeof DUE_DATES)[number];

/** Range of days, `first` and `last` included; null means unbounded. */
interface DayRange {
  readonly first: string | null;
  readonly last: string | null;
}

/** Returns the range of days of a filter value, or `none` (rows without a date) or `any` (rows with one). Weeks begin on Monday. */
export function toDueDateRange(dueDate: DueDate, today: string): DayRange | 'none' | 'any' {
  switch (dueDate) {
    case '0':
      return 'none';
    case 'any':
      return 'any';
    case 'today':
      return { first: today, last: today };
    case 'tomorrow':
      return { first: addDays(today, 1), last: addDays(today, 1) };
    case 'overdue':
      return { first: null, last: addDays(today, -1) };
    case 'week': {
      const daysSinceMonday = (new Date(today).getUTCDay() + 6) % 7;
      const monday = addDays(today, -daysSinceMonday);
      return { first: monday, last: addDays(monday, 6) };
    }
    case 'month':
      return { first: `${today.slice(0, 8)}01`, last: endOfMonth(today, 0) };
    default:
      return { first: addDays(today, -14), last: endOfMonth(today, 1) };
  }
}

/** Returns the last day of the month that is `months` after the month of `day`. */
function endOfMonth(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month + months, 0)).toISOString().slice(0, 10);
}

/** Filters by the emoji that the caller awarded (contract/planning.md §3.6). */
interface ReactionFilter {
  /** Name or alias of an emoji, `None` or `Any`. */
  readonly my_reaction_emoji?: string | null | undefined;
  readonly not?: { readonly my_reaction_emoji?: string | null | undefined } | null | undefined;
}

/** Returns the conditions of the filters. Anonymous callers awarded nothing. */
export function reactionConditions(
  db: Reader,
  scope: IssuableListScope,
  { user }: Caller,
  { my_reaction_emoji: emoji, not }: ReactionFilter,
): ListCondition[] {
  const [name, negatedName] = [emoji, not?.my_reaction_emoji];
  return [
    ...(isPresent(name) ? [reactionCondition(db, scope, user?.id ?? 0, name, true)] : []),
    ...(isPresent(negatedName) ? [reactionCondition(db, scope, user?.id ?? 0, negatedName, false)] : []),
  ];
}

/** Matches issuables to which the user awarded this emoji, any, or none; if `isMatch` is false, all others. index: award_emoji_by_user_issue, award_emoji_by_user_merge_request, award_emoji_by_user_epic */
function reactionCondition(
  db: Reader,
  scope: IssuableListScope,
  userId: number,
  emoji: string,
  isMatch: boolean,
): ListCondition {
  const foreignKey = sql.ref(`award.${scope.tables.foreignKey}`);
  const [isAny, isNone] = [isKeyword(emoji, 'Any'), isKeyword(emoji, 'None')];
  const emojiPredicate = isAny || isNone ? sql`1 = 1` : sql`award.name = ${findEmojiName(emoji) ?? emoji}`;
  const ids = sql`select ${foreignKey} from award_emoji as award where award.user_id = ${userId} and ${foreignKey} is not null and ${emojiPredicate}`;
  // The user's awards are few, compared with the awards of all rows.
  const id = withoutIndex(db, listedColumn(scope, 'id'));
  const isNotAwarded = isAmongCollected(id, ids, false);
  // `None` is the negation of `Any`.
  if (isMatch === isNone) return { predicate: isNotAwarded };
  return {
    predicate: isAmongCollected(id, ids),
    ids,
    ...(scope.project === null && { negatedPredicate: isNotAwarded }),
  };
}
