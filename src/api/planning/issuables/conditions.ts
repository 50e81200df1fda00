import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../../database/database.ts';
import { containingWords, containingWordsUnindexed, isAmong } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';
import { searchWords } from '../../../database/words.ts';
import type { Condition } from './candidates.ts';
import { type DueDate, daysOf } from './dates.ts';
import type { Kind } from './kind.ts';

/** The conditions that lists of all kinds are narrowed by (contract/planning.md §3.6), over the columns that all have. */

/** A list's things: of one project, or wherever they are. */
export interface Range {
  readonly kind: Kind;
  readonly project: { readonly id: number; readonly namespace_id: number } | null;
}

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

const MOST_WORDS = 100;

const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;
const isWord = (value: string, word: Word) => value.toLowerCase() === word.toLowerCase();

/** What `column` of the list's own table is called in the query. */
const own = ({ kind }: Range, column: string) => sql.ref(`${kind.things}.${column}`);

/** Things whose own columns are such; an index on (project, `columns`) tells them. */
function byColumns(
  range: Range,
  condition: (column: (name: string) => RawBuilder<unknown>) => RawBuilder<SqlBool>,
): Condition {
  const inside = (name: string) => sql.ref(`one.${name}`);
  const here = range.project === null ? sql`1 = 1` : sql`one.project_id = ${range.project.id}`;
  return {
    holds: condition((name) => own(range, name)),
    ids: sql`select one.id from ${sql.table(range.kind.things)} as one where ${here} and ${condition(inside)}`,
  };
}

/** Things of which `ids` tells. */
function byIds(ids: RawBuilder<unknown>, holds: RawBuilder<SqlBool>): Condition {
  return { holds, ids };
}

/** All conditions of a filter. */
export function sharedConditions(db: Reader, range: Range, filter: SharedFilter): Condition[] {
  const conditions: Condition[] = [];
  const { state, iids, author_id, author_username } = filter;
  if (given(state) && state !== 'all')
    conditions.push(byColumns(range, (column) => sql`${column('state')} = ${state}`));
  if (given(iids) && iids.length > 0) {
    conditions.push(byColumns(range, (column) => isAmong(db, column('iid') as RawBuilder<number>, iids)));
  }
  if (given(author_id)) conditions.push(byAuthor(range, sql`${author_id}`));
  if (given(author_username)) conditions.push(byAuthor(range, userNamed(author_username)));
  conditions.push(...labelConditions(range, filter), ...milestoneConditions(db, range, filter));
  conditions.push(...assigneeConditions(range, filter), ...timeConditions(range, filter));
  return [...conditions, ...searchConditions(db, range, filter)];
}

/** All of its negation. */
export function notConditions(db: Reader, range: Range, filter: NotFilter): Condition[] {
  const { labels = [], iids, milestone, milestone_id, author_id, author_username, assignee_id } = filter;
  const unfulfilled: Condition[] = [
    ...(labels ?? []).map((title) => withLabel(range, title)),
    ...milestoneConditions(db, range, { milestone, milestone_id }),
    ...(given(author_id) ? [byAuthor(range, sql`${author_id}`)] : []),
    ...(given(author_username) ? [byAuthor(range, userNamed(author_username))] : []),
    ...(given(assignee_id) ? [assignedTo(range, assignee_id)] : []),
    ...(filter.assignee_username ?? []).map((name) => assignedToUser(range, userNamed(name))),
    ...(given(iids) && iids.length > 0
      ? [byColumns(range, (column) => isAmong(db, column('iid') as RawBuilder<number>, iids))]
      : []),
  ];
  return unfulfilled.map(({ holds }) => ({ holds: sql<SqlBool>`coalesce(${holds}, false) = false` }));
}

const userNamed = (username: string) =>
  sql`(select named.id from users as named where named.username_key = ${foldCase(username)})`;

const byAuthor = (range: Range, id: RawBuilder<unknown>) =>
  byColumns(range, (column) => sql<SqlBool>`${column('author_id')} = ${id}`);

// --- Labels: by title, all of them.

function labelConditions(range: Range, { labels }: SharedFilter): Condition[] {
  const [first, ...others] = labels ?? [];
  if (first === undefined) return [];
  if (others.length === 0 && isWord(first, 'None')) return [{ holds: sql<SqlBool>`not ${labelled(range)}` }];
  if (others.length === 0 && isWord(first, 'Any')) return [{ holds: labelled(range) }];
  return [...new Set([first, ...others])].slice(0, MOST_WORDS).map((title) => withLabel(range, title));
}

/** index: issue_labels_pkey */
function labelled(range: Range): RawBuilder<SqlBool> {
  const { kind } = range;
  return sql<SqlBool>`exists (select 1 from ${sql.table(kind.labels)} as worn where ${sql.ref(`worn.${kind.id}`)} = ${own(range, 'id')})`;
}

/** index: labels_by_title, issue_labels_by_label, issue_labels_pkey */
function withLabel(range: Range, title: string): Condition {
  const { kind } = range;
  const titled = sql`select label.id from labels as label where label.title = ${title} and ${inReach(range, 'label')}`;
  const bearing = sql`select ${sql.ref(`worn.${kind.id}`)} from ${sql.table(kind.labels)} as worn where worn.label_id in (${titled})`;
  const thing = sql.ref(`worn.${kind.id}`);
  return byIds(bearing, sql<SqlBool>`exists (${bearing} and ${thing} = ${own(range, 'id')})`);
}

// --- The milestone: by title, or by what it stands for.

/** index: milestones_by_title */
function milestoneConditions({ today }: Reader, range: Range, { milestone, milestone_id }: SharedFilter): Condition[] {
  const conditions: Condition[] = [];
  for (const word of [milestone, milestone_id]) {
    if (!given(word)) continue;
    if (isWord(word, 'None')) conditions.push(valueCondition(range, 'milestone_id', 'None'));
    else if (isWord(word, 'Any')) conditions.push(valueCondition(range, 'milestone_id', 'Any'));
    else if (word === milestone) conditions.push(withMilestone(range, sql`meant.title = ${word}`));
    else if (word === 'Upcoming') conditions.push(withMilestone(range, sql`${ACTIVE} and meant.due_date > ${today}`));
    else conditions.push(withMilestone(range, sql`${ACTIVE} and meant.start_date <= ${today}`));
  }
  return conditions;
}

const ACTIVE = sql`meant.state = 'active'`;

function withMilestone(range: Range, which: RawBuilder<SqlBool>): Condition {
  const meant = sql`select meant.id from milestones as meant where ${which} and ${inReach(range, 'meant')}`;
  return byColumns(range, (column) => sql<SqlBool>`${column('milestone_id')} in (${meant})`);
}

// --- Assignees.

function assigneeConditions(range: Range, { assignee_id, assignee_username }: SharedFilter): Condition[] {
  const named = (assignee_username ?? []).slice(0, MOST_WORDS).map((name) => assignedToUser(range, userNamed(name)));
  return given(assignee_id) ? [assignedTo(range, assignee_id), ...named] : named;
}

/** index: issue_assignees_by_issue */
function assignedTo(range: Range, who: IdOrWord): Condition {
  const { kind } = range;
  if (typeof who === 'number') return assignedToUser(range, sql`${who}`);
  const any = sql<SqlBool>`exists (select 1 from ${sql.table(kind.assignees)} as taken where ${sql.ref(`taken.${kind.id}`)} = ${own(range, 'id')})`;
  return { holds: who === 'Any' ? any : sql<SqlBool>`not ${any}` };
}

/** index: issue_assignees_by_user, issue_assignees_by_issue */
function assignedToUser(range: Range, id: RawBuilder<unknown>): Condition {
  const { kind } = range;
  const thing = sql.ref(`taken.${kind.id}`);
  const things = sql`select ${thing} from ${sql.table(kind.assignees)} as taken where taken.user_id = ${id}`;
  return byIds(things, sql<SqlBool>`exists (${things} and ${thing} = ${own(range, 'id')})`);
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
    return [byColumns(range, (of) => sql<SqlBool>`${of(column)} ${sql.raw(sign)} ${moment}`)];
  });
}

/** Of things that have a due date. */
export function dueCondition({ today }: Reader, range: Range, word: DueDate): Condition {
  const days = daysOf(word, today);
  return byColumns(range, (column) => {
    const due = column('due_date');
    if (days === 'none') return sql<SqlBool>`${due} is null`;
    if (days === 'any') return sql<SqlBool>`${due} is not null`;
    const { first, last } = days;
    return first === null ? sql<SqlBool>`${due} <= ${last}` : sql<SqlBool>`${due} between ${first} and ${last}`;
  });
}

/** Things whose own column has this value, or `None`, or `Any`. */
export function valueCondition(range: Range, name: string, value: number | string | boolean): Condition {
  return byColumns(range, (column) => {
    if (value === 'None') return sql<SqlBool>`${column(name)} is null`;
    return value === 'Any' ? sql<SqlBool>`${column(name)} is not null` : sql<SqlBool>`${column(name)} = ${value}`;
  });
}

// --- Words: each of them in one and the same text.

const SEARCHED = ['title_key', 'description_key'] as const;

/** index: issues_title_key_description_key_trigrams */
function searchConditions(db: Reader, { kind }: Range, { search, in: where }: SharedFilter): Condition[] {
  const words = searchWords(foldCase(search ?? '')).slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const searched = SEARCHED.filter(
    (column) => !where?.length || where.includes(column === 'title_key' ? 'title' : 'description'),
  );
  const indexed = containingWords(db, kind.things, SEARCHED, words, searched);
  return [
    {
      holds: containingWordsUnindexed(db, kind.things, searched, words),
      ids: sql`select ${sql.ref(`${kind.things}.id`)} from ${sql.table(kind.things)} where ${indexed}`,
    },
  ];
}
