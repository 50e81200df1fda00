import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { countUpTo } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { IssueOrdering, Query } from './orders.ts';

/**
 * Orders that are worked out for each issue: by the milestone's due date, by the best label. What they begin with is known
 * without looking at all issues: those of the first milestones, those with the best labels. So many of these are taken that
 * the page is among their issues.
 */

/** Pages that end later are not worth it. */
const FARTHEST = 1_000;

/** A list that is looked for in its project, or gathered by ids. */
interface Found {
  readonly query: Query;
  readonly gathered: Query;
}

/** Of a project's issues in this order the first ones, the page among them; null: look at all. */
export async function beginningOf(
  db: Reader,
  { query, gathered }: Found,
  { id }: Pick<Project, 'id'>,
  { order, direction }: IssueOrdering,
  { page, perPage }: OffsetRequest,
): Promise<Query | null> {
  const needed = page * perPage + 1;
  if (needed > FARTHEST) return null;
  if (order === 'priority' || order === 'milestone_due') {
    const milestones = inTurn(await dueMilestones(db, id), direction);
    return longEnough(db, milestones, needed, ({ first }) => query.where(ofMilestones(db, first)));
  }
  if (order !== 'label_priority') return null;
  const labels = inTurn(await preferredLabels(db, id), direction);
  return longEnough(db, labels, needed, ({ first, others }) => {
    const wearing = gathered.where(sql<SqlBool>`issues.id in (${wearersOf(db, first)})`);
    // The best of several labels counts: upwards the others are worse ones.
    return direction === 'asc'
      ? wearing
      : wearing.where(sql<SqlBool>`not exists (${wearersOf(db, others)} and worn.issue_id = issues.id)`);
  });
}

interface Rung {
  readonly id: number;
  /** What it is ordered by. */
  readonly rank: string | number;
}

/** The ids of equal rank stand together. */
function inTurn(rungs: readonly Rung[], direction: 'asc' | 'desc'): number[][] {
  const groups = [...Map.groupBy(rungs, ({ rank }) => rank).values()].map((group) => group.map(({ id }) => id));
  return direction === 'asc' ? groups : groups.reverse();
}

interface Split {
  readonly first: readonly number[];
  readonly others: readonly number[];
}

/** Twice as many each time, until they have enough issues; null when all have not. */
async function longEnough(
  db: Reader,
  rungs: readonly (readonly number[])[],
  needed: number,
  narrowed: (split: Split) => Query,
): Promise<Query | null> {
  for (let taken = 1; rungs.length > 0; taken *= 2) {
    const some = narrowed({ first: rungs.slice(0, taken).flat(), others: rungs.slice(taken).flat() });
    if ((await countUpTo(db, some, needed)) === needed) return some;
    if (taken >= rungs.length) break;
  }
  return null;
}

/** Milestones with a due date that issues of the project have. index: issues_by_project_milestone, milestones primary key */
async function dueMilestones(db: Reader, projectId: number): Promise<Rung[]> {
  const had = db.selectFrom('issues').select('milestone_id').distinct().where('project_id', '=', projectId);
  const rows = await db
    .selectFrom('milestones')
    .select(['id', 'due_date as rank'])
    .where('id', 'in', had)
    .where('due_date', 'is not', null)
    .orderBy('due_date')
    .execute();
  return rows as Rung[];
}

/** Labels to which the project has given a priority, the best first. index: label_priorities_pkey */
function preferredLabels(db: Reader, projectId: number): Promise<Rung[]> {
  return db
    .selectFrom('label_priorities')
    .select(['label_id as id', 'priority as rank'])
    .where('project_id', '=', projectId)
    .orderBy('priority')
    .execute();
}

/** index: issues_by_project_milestone */
const ofMilestones = (db: Reader, ids: readonly number[]): RawBuilder<SqlBool> =>
  isAmong(db, sql<number>`issues.milestone_id`, ids);

/** index: issue_labels_by_label, issue_labels_pkey */
const wearersOf = (db: Reader, ids: readonly number[]): RawBuilder<unknown> =>
  sql`select worn.issue_id from issue_labels as worn where ${isAmong(db, sql<number>`worn.label_id`, ids)}`;
