import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { countUpTo } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { IssueIdQuery, IssueOrdering } from './orders.ts';

/**
 * Computed sort orders: by the milestone's due date or by the best label priority. The first issues can be found without sorting all:
 * those of the first milestones, or with the best labels. As many milestones or labels are taken as the page needs.
 */

/** For pages that end later the optimization is not worth it. */
const MAX_OFFSET = 1_000;

/** The query of a list, with and without the project index. */
interface CandidateQueries {
  readonly query: IssueIdQuery;
  readonly unindexed: IssueIdQuery;
}

/** Returns a query for the first issues in this order, the page included; null if all issues must be sorted. */
export async function findOrderPrefix(
  db: Reader,
  { query, unindexed }: CandidateQueries,
  { id }: Pick<Project, 'id'>,
  { order, direction }: IssueOrdering,
  { page, perPage }: OffsetRequest,
): Promise<IssueIdQuery | null> {
  const neededCount = page * perPage + 1;
  if (neededCount > MAX_OFFSET) return null;
  if (order === 'priority' || order === 'milestone_due') {
    const milestones = groupByRank(await listDueMilestones(db, id), direction);
    return takeUntilEnough(db, milestones, neededCount, ({ first }) => query.where(hasMilestone(db, first)));
  }
  if (order !== 'label_priority') return null;
  const labels = groupByRank(await listPrioritizedLabels(db, id), direction);
  return takeUntilEnough(db, labels, neededCount, ({ first, otherIds }) => {
    const labelledIssues = unindexed.where(sql<SqlBool>`issues.id in (${selectLabelledIssues(db, first)})`);
    // The best label of an issue counts. In ascending order the other labels are worse.
    return direction === 'asc'
      ? labelledIssues
      : labelledIssues.where(
          sql<SqlBool>`not exists (${selectLabelledIssues(db, otherIds)} and worn.issue_id = issues.id)`,
        );
  });
}

interface RankedId {
  readonly id: number;
  /** The sort value. */
  readonly rank: string | number;
}

/** Groups the ids by rank, in sort order. */
function groupByRank(rankedIds: readonly RankedId[], direction: 'asc' | 'desc'): number[][] {
  const groups = [...Map.groupBy(rankedIds, ({ rank }) => rank).values()].map((group) => group.map(({ id }) => id));
  return direction === 'asc' ? groups : groups.reverse();
}

interface RankSplit {
  readonly first: readonly number[];
  readonly otherIds: readonly number[];
}

/** Doubles the number of groups until they have enough issues. Returns null if all groups have too few. */
async function takeUntilEnough(
  db: Reader,
  groups: readonly (readonly number[])[],
  neededCount: number,
  build: (split: RankSplit) => IssueIdQuery,
): Promise<IssueIdQuery | null> {
  for (let groupCount = 1; groups.length > 0; groupCount *= 2) {
    const prefixQuery = build({ first: groups.slice(0, groupCount).flat(), otherIds: groups.slice(groupCount).flat() });
    if ((await countUpTo(db, prefixQuery, neededCount)) === neededCount) return prefixQuery;
    if (groupCount >= groups.length) break;
  }
  return null;
}

/** Lists the milestones with a due date that issues of the project have. index: issues_by_project_milestone, milestones primary key */
async function listDueMilestones(db: Reader, projectId: number): Promise<RankedId[]> {
  const usedIds = db.selectFrom('issues').select('milestone_id').distinct().where('project_id', '=', projectId);
  const rows = await db
    .selectFrom('milestones')
    .select(['id', 'due_date as rank'])
    .where('id', 'in', usedIds)
    .where('due_date', 'is not', null)
    .orderBy('due_date')
    .execute();
  return rows as RankedId[];
}

/** Lists the labels with a priority in the project, best first. index: label_priorities_pkey */
function listPrioritizedLabels(db: Reader, projectId: number): Promise<RankedId[]> {
  return db
    .selectFrom('label_priorities')
    .select(['label_id as id', 'priority as rank'])
    .where('project_id', '=', projectId)
    .orderBy('priority')
    .execute();
}

/** index: issues_by_project_milestone */
const hasMilestone = (db: Reader, ids: readonly number[]): RawBuilder<SqlBool> =>
  isInIds(db, sql<number>`issues.milestone_id`, ids);

/** index: issue_labels_by_label, issue_labels_pkey */
const selectLabelledIssues = (db: Reader, ids: readonly number[]): RawBuilder<unknown> =>
  sql`select worn.issue_id from issue_labels as worn where ${isInIds(db, sql<number>`worn.label_id`, ids)}`;
