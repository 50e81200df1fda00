import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { existsForEach, isAmong, isAmongFound, isAmongTexts, notLookedUpBy } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { searchWords } from '#database/search/query-words.ts';
import {
  containingWords,
  containingWordsAtOnce,
  containingWordsUnindexed,
  hasTrigrams,
  idsWithParts,
} from '#database/search/word-search.ts';
import { given } from '#http/parameters/declarations.ts';
import type { Range } from '../kind.ts';
import { type DueDate, daysOf } from './dates.ts';
import type { Condition } from './query-strategy.ts';

/** The conditions that lists of all kinds are narrowed by (contract/planning.md §3.6), over the columns that all have. */

/** Labels and milestones that things of the range can have. index: labels_by_project, labels_by_group, namespace_closure_pkey */
function inReach({ project }: Range, table: 'label' | 'meant'): RawBuilder<SqlBool> {
  if (project === null) return sql`1 = 1`;
  const above = sql`select up.ancestor_id from namespace_closure as up where up.descendant_id = ${project.namespace_id}`;
  const [ofProject, ofGroup] = [sql.ref(`${table}.project_id`), sql.ref(`${table}.group_id`)];
  return sql`(${ofProject} = ${project.id} or ${ofGroup} in (${above}))`;
}

export type Word = 'None' | 'Any';
/** `None`, `Any`, or the id of what is meant. */
export type IdOrWord = number | Word;
export type MilestoneWord = Word | 'Upcoming' | 'Started';

/** Filters as they are sent; absent and null ones don't filter. */
export interface SharedFilter {
  readonly state?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly milestone?: string | null | undefined;
  readonly milestone_id?: MilestoneWord | null | undefined;
  readonly iids?: readonly number[] | null | undefined;
  readonly search?: string | null | undefined;
  readonly in?: readonly ('title' | 'description')[] | null | undefined;
  readonly author_id?: number | null | undefined;
  readonly author_username?: string | null | undefined;
  readonly assignee_id?: IdOrWord | null | undefined;
  readonly assignee_username?: readonly string[] | null | undefined;
  readonly created_before?: string | null | undefined;
  readonly created_after?: string | null | undefined;
  readonly updated_before?: string | null | undefined;
  readonly updated_after?: string | null | undefined;
}

/** Filters of things that have none of this. */
export type NotFilter = Pick<
  SharedFilter,
  | 'labels'
  | 'milestone'
  | 'milestone_id'
  | 'iids'
  | 'author_id'
  | 'author_username'
  | 'assignee_id'
  | 'assignee_username'
>;

/** So many elements of a list are looked up one by one, so that the rarest of them leads to the things; others are counted. */
const ONE_BY_ONE = 8;
const isWord = (value: string, word: Word) => value.toLowerCase() === word.toLowerCase();

/** What `column` of the list's own table is called in the query. */
const own = ({ kind }: Pick<Range, 'kind'>, column: string) => sql.ref(`${kind.things}.${column}`);

/** Columns by which an index finds the things of all projects, and those of one; epics are found by their groups. */
const INDEXED = ['author_id', 'milestone_id', 'created_at', 'updated_at', 'source_branch', 'target_branch'];
const INDEXED_IN_PROJECT = [...INDEXED, 'iid', 'state'];
const INDEXED_OF_EPICS = ['author_id'];

function indexed({ kind, project }: Range): readonly string[] {
  if (kind.things === 'epics') return INDEXED_OF_EPICS;
  return project === null ? INDEXED : INDEXED_IN_PROJECT;
}

/** Things whose own column is such. */
function byColumn(
  range: Range,
  name: string,
  condition: (column: RawBuilder<unknown>) => RawBuilder<SqlBool>,
): Condition {
  const column = own(range, name);
  // Who has no ids of it walks in an order. The sign changes nothing but the plan: SQLite would sort all that have none.
  const holds = condition(name === 'milestone_id' ? sql`+${column}` : column);
  if (!indexed(range).includes(name)) return { holds };
  const inside = sql.ref(`one.${name}`);
  const here = range.project === null ? sql`1 = 1` : sql`one.project_id = ${range.project.id}`;
  return {
    holds,
    ids: sql`select one.id from ${sql.table(range.kind.things)} as one where ${here} and ${condition(inside)}`,
  };
}

type AtOnce = Required<Pick<Condition, 'holds' | 'atOnce' | 'elseAtOnce'>>;

/** Things for which there are such rows. */
function existing(db: Reader, rows: RawBuilder<unknown>): AtOnce {
  const there = sql<SqlBool>`exists (${rows})`;
  return { holds: existsForEach(db, rows), atOnce: there, elseAtOnce: sql<SqlBool>`not ${there}` };
}

/** Those for which there are none. */
function missing(db: Reader, rows: RawBuilder<unknown>): AtOnce {
  const { holds, atOnce, elseAtOnce } = existing(db, rows);
  return { holds: sql<SqlBool>`not ${holds}`, atOnce: elseAtOnce, elseAtOnce: atOnce };
}

/** Things of which `ids` tells, a `select ... where ...` of `thing`. */
export function byIds(
  db: Reader,
  of: Pick<Range, 'kind'>,
  ids: RawBuilder<unknown>,
  thing: RawBuilder<unknown>,
): AtOnce & Required<Pick<Condition, 'ids'>> {
  return { ...existing(db, sql`${ids} and ${thing} = ${own(of, 'id')}`), ids };
}

/** All conditions of a filter. */
export function sharedConditions(db: Reader, range: Range, filter: SharedFilter): Condition[] {
  const conditions: Condition[] = [];
  const { state, iids, author_id, author_username } = filter;
  if (given(state) && state !== 'all') conditions.push(byColumn(range, 'state', (column) => sql`${column} = ${state}`));
  if (given(iids) && iids.length > 0) {
    conditions.push(byColumn(range, 'iid', (column) => isAmong(db, column as RawBuilder<number>, iids)));
  }
  if (given(author_id)) conditions.push(byAuthor(range, sql`${author_id}`));
  if (given(author_username)) conditions.push(byAuthor(range, userNamed(author_username)));
  conditions.push(...labelConditions(db, range, filter), ...milestoneConditions(db, range, filter));
  conditions.push(...assigneeConditions(db, range, filter), ...timeConditions(range, filter));
  return [...conditions, ...searchConditions(db, range, filter)];
}

/** All of its negation. */
export function notConditions(db: Reader, range: Range, filter: NotFilter): Condition[] {
  const { labels, iids, milestone, milestone_id, author_id, author_username, assignee_id } = filter;
  const unfulfilled: Condition[] = [
    ...withAnyLabel(db, range, labels ?? []),
    ...milestoneConditions(db, range, { milestone, milestone_id }),
    ...(given(author_id) ? [byAuthor(range, sql`${author_id}`)] : []),
    ...(given(author_username) ? [byAuthor(range, userNamed(author_username))] : []),
    ...(given(assignee_id) ? [assignedTo(db, range, assignee_id)] : []),
    ...assignedToAny(db, range, filter.assignee_username ?? []),
    ...(given(iids) && iids.length > 0
      ? [byColumn(range, 'iid', (column) => isAmong(db, column as RawBuilder<number>, iids))]
      : []),
  ];
  return unfulfilled.map(({ holds, elseAtOnce }) => ({
    holds: sql<SqlBool>`coalesce(${holds}, false) = false`,
    ...(elseAtOnce && { atOnce: elseAtOnce }),
  }));
}

const userNamed = (username: string) =>
  sql`(select named.id from users as named where named.username_key = ${foldCase(username)})`;

const byAuthor = (range: Range, id: RawBuilder<unknown>) =>
  byColumn(range, 'author_id', (column) => sql<SqlBool>`${column} = ${id}`);

// --- Labels: by title, all of them.

function labelConditions(db: Reader, range: Range, { labels }: SharedFilter): Condition[] {
  const titles = [...new Set(labels ?? [])];
  const word = labelWord(db, range, titles);
  if (word !== null) return [word];
  const others = titles.slice(ONE_BY_ONE);
  const first = titles.slice(0, ONE_BY_ONE).map((title) => withLabel(db, range, title));
  if (others.length === 0) return first;
  const many = sql`select count(distinct label.title) ${wornOf(db, range, others)}`;
  return [...first, { holds: sql<SqlBool>`(${many}) = ${others.length}` }];
}

/** Any of them: what is negated has none. */
function withAnyLabel(db: Reader, range: Range, titles: readonly string[]): Condition[] {
  if (titles.length === 0) return [];
  const word = labelWord(db, range, titles);
  if (word !== null) return [word];
  const { holds, atOnce, elseAtOnce } = wearing(db, range, isAmongTexts(db, TITLE, titles));
  return [{ holds, atOnce, elseAtOnce }];
}

/** `None` or `Any`, on its own. */
function labelWord(db: Reader, range: Range, [title, ...others]: readonly string[]): Condition | null {
  if (title === undefined || others.length > 0) return null;
  if (isWord(title, 'None')) return missing(db, labelsOn(range));
  return isWord(title, 'Any') ? existing(db, labelsOn(range)) : null;
}

/** The labels with such titles that a thing bears. index: issue_labels_pkey, labels primary key */
function wornOf(db: Reader, range: Range, titles: readonly string[]): RawBuilder<unknown> {
  const { kind } = range;
  return sql`from ${sql.table(kind.labels)} as worn inner join labels as label on label.id = worn.label_id
    where ${sql.ref(`worn.${kind.id}`)} = ${own(range, 'id')} and ${isAmongTexts(db, TITLE, titles)}`;
}

/** index: issue_labels_pkey */
function labelsOn(range: Range): RawBuilder<unknown> {
  const { kind } = range;
  return sql`select 1 from ${sql.table(kind.labels)} as worn where ${sql.ref(`worn.${kind.id}`)} = ${own(range, 'id')}`;
}

const TITLE = sql<string>`label.title`;

const withLabel = (db: Reader, range: Range, title: string): Condition =>
  wearing(db, range, sql<SqlBool>`${TITLE} = ${title}`);

/** Things that bear one of the labels with such titles. index: labels_by_title, issue_labels_by_label, issue_labels_pkey */
function wearing(db: Reader, range: Range, isTitled: RawBuilder<SqlBool>) {
  const { kind, project } = range;
  const titled = sql`(select label.id from labels as label where ${isTitled} and ${inReach(range, 'label')})`;
  const id = sql<number>`worn.label_id`;
  // A project can have one or two. Of all projects they are many: those of a thing are looked at.
  const isOne = project === null ? sql<SqlBool>`${id} in ${titled}` : isAmongFound(db, id, titled);
  const thing = sql.ref(`worn.${kind.id}`);
  return byIds(db, range, sql`select ${thing} from ${sql.table(kind.labels)} as worn where ${isOne}`, thing);
}

// --- The milestone: by title, or by what it stands for.

/** index: milestones_by_title */
function milestoneConditions({ today }: Reader, range: Range, { milestone, milestone_id }: SharedFilter): Condition[] {
  const conditions: Condition[] = [];
  if (given(milestone)) {
    const word = (['None', 'Any'] as const).find((one) => isWord(milestone, one));
    if (word !== undefined) conditions.push(valueCondition(range, 'milestone_id', word));
    else conditions.push(withMilestone(range, sql`meant.title = ${milestone}`));
  }
  if (given(milestone_id)) conditions.push(milestoneStandingFor(range, milestone_id, today));
  return conditions;
}

function milestoneStandingFor(range: Range, word: MilestoneWord, today: string): Condition {
  if (word === 'None' || word === 'Any') return valueCondition(range, 'milestone_id', word);
  if (word === 'Upcoming') return withMilestone(range, sql`${ACTIVE} and meant.due_date > ${today}`);
  return withMilestone(range, sql`${ACTIVE} and meant.start_date <= ${today}`);
}

const ACTIVE = sql`meant.state = 'active'`;

function withMilestone(range: Range, which: RawBuilder<SqlBool>): Condition {
  const meant = sql`select meant.id from milestones as meant where ${which} and ${inReach(range, 'meant')}`;
  return byColumn(range, 'milestone_id', (column) => sql<SqlBool>`${column} in (${meant})`);
}

// --- Assignees.

function assigneeConditions(db: Reader, range: Range, { assignee_id, assignee_username }: SharedFilter): Condition[] {
  const names = [...new Set((assignee_username ?? []).map(foldCase))];
  const others = names.slice(ONE_BY_ONE);
  const conditions = names.slice(0, ONE_BY_ONE).map((name) => assignedToUser(db, range, userNamed(name)));
  if (given(assignee_id)) conditions.unshift(assignedTo(db, range, assignee_id));
  if (others.length === 0) return conditions;
  const many = sql`select count(*) ${takenBy(db, range, others)}`;
  return [...conditions, { holds: sql<SqlBool>`(${many}) = ${others.length}` }];
}

/** Whose table it is: lists of what nobody is assigned to have no such filter. */
function assigneesOf({ kind }: Range): string {
  if (kind.assignees === null) throw new Error(`nobody is assigned to ${kind.things}`);
  return kind.assignees;
}

/** To any of them: what is negated is to none. */
function assignedToAny(db: Reader, range: Range, names: readonly string[]): Condition[] {
  if (names.length === 0) return [];
  return [existing(db, sql`select 1 ${takenBy(db, range, names.map(foldCase))}`)];
}

/** Those of these users to whom a thing is assigned. index: issue_assignees_by_issue, users primary key */
function takenBy(db: Reader, range: Range, keys: readonly string[]): RawBuilder<unknown> {
  const { kind } = range;
  return sql`from ${sql.table(assigneesOf(range))} as taken inner join users as named on named.id = taken.user_id
    where ${sql.ref(`taken.${kind.id}`)} = ${own(range, 'id')} and ${isAmongTexts(db, sql<string>`named.username_key`, keys)}`;
}

/** index: issue_assignees_by_issue */
function assignedTo(db: Reader, range: Range, who: IdOrWord): Condition {
  const { kind } = range;
  if (typeof who === 'number') return assignedToUser(db, range, sql`${who}`);
  const taken = sql`select 1 from ${sql.table(assigneesOf(range))} as taken where ${sql.ref(`taken.${kind.id}`)} = ${own(range, 'id')}`;
  return who === 'Any' ? existing(db, taken) : missing(db, taken);
}

/** index: issue_assignees_by_user, issue_assignees_by_issue */
function assignedToUser(db: Reader, range: Range, id: RawBuilder<unknown>): Condition {
  const { kind } = range;
  const thing = sql.ref(`taken.${kind.id}`);
  const things = sql`select ${thing} from ${sql.table(assigneesOf(range))} as taken where taken.user_id = ${id}`;
  return byIds(db, range, things, thing);
}

// --- Times and days.

const BOUNDS = [
  ['created_after', 'created_at', '>='],
  ['created_before', 'created_at', '<='],
  ['updated_after', 'updated_at', '>='],
  ['updated_before', 'updated_at', '<='],
] as const;

function timeConditions(range: Range, filter: SharedFilter): Condition[] {
  return BOUNDS.flatMap(([name, column, sign]) => {
    const moment = filter[name];
    if (!given(moment)) return [];
    return [byColumn(range, column, (of) => sql<SqlBool>`${of} ${sql.raw(sign)} ${moment}`)];
  });
}

/** Of things that have a due date. */
export function dueCondition(db: Reader, range: Range, word: DueDate): Condition {
  const days = daysOf(word, db.today);
  return byColumn(range, 'due_date', (column) => {
    // By the index of their order SQLite would gather all that have none.
    const due = notLookedUpBy(db, column);
    if (days === 'none') return sql<SqlBool>`${due} is null`;
    if (days === 'any') return sql<SqlBool>`${due} is not null`;
    const { first, last } = days;
    return first === null ? sql<SqlBool>`${due} <= ${last}` : sql<SqlBool>`${due} between ${first} and ${last}`;
  });
}

/** Things whose own column has this value, or `None`, or `Any`. */
export function valueCondition(range: Range, name: string, value: number | string | boolean): Condition {
  return byColumn(range, name, (column) => {
    if (value === 'None') return sql<SqlBool>`${column} is null`;
    return value === 'Any' ? sql<SqlBool>`${column} is not null` : sql<SqlBool>`${column} = ${value}`;
  });
}

// --- Words: each of them in one and the same text.

const SEARCHED = ['title_key', 'description_key'] as const;

/** index: issues_title_key_description_key_trigrams */
function searchConditions(db: Reader, { kind, project }: Range, { search, in: where }: SharedFilter): Condition[] {
  const words = searchWords(foldCase(search ?? ''));
  if (words.length === 0) return [];
  const searched = SEARCHED.filter(
    (column) => !where?.length || where.includes(column === 'title_key' ? 'title' : 'description'),
  );
  const holds = containingWordsUnindexed(db, kind.things, searched, words);
  if (!hasTrigrams(words)) return [{ holds, dear: true }];
  const atOnce = project && containingWordsAtOnce(db, kind.things, SEARCHED, words, searched);
  if (atOnce) return [{ holds, atOnce, dear: true }];
  const here = project === null ? sql`1 = 1` : sql`${sql.ref(`${kind.things}.project_id`)} = ${project.id}`;
  const indexed = containingWords(db, kind.things, SEARCHED, words, searched);
  const ids = sql`select ${sql.ref(`${kind.things}.id`)} from ${sql.table(kind.things)} where ${here} and ${indexed}`;
  const idsAtMost = idsWithParts(db, kind.things, SEARCHED, words, searched);
  return [{ holds, ids, ...(idsAtMost && { idsAtMost }), dear: true }];
}
