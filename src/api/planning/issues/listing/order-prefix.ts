import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { countUpTo } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { IssueIdQuery, IssueOrdering } from './orders.ts';

/**
 * Computed sort orders (milestone due date, best label priority) have no index. The first pages need no full sort: their issues have
 * the first milestones or the best labels. Milestones or labels are taken in sort order until they have enough issues for the page.
 */

/** Maximum number of issues in a prefix. For later pages the optimization is not worth it. */
const MAX_PREFIX_LENGTH = 1_000;

/** The query of a list, with and without the project index. */
interface CandidateQueries {
  readonly query: IssueIdQuery;
  readonly unindexed: IssueIdQuery;
}

/** Returns a query for the first issues in this order, up to the end of the page. Returns null if all issues must be sorted. */
export async function findOrderPrefix(
  db: Reader,
  { query, unindexed }: CandidateQueries,
  { id }: Pick<Project, 'id'>,
  { order, direction }: IssueOrdering,
  { page, perPage }: OffsetRequest,
): Promise<IssueIdQuery | null> {
  const neededCount = page * perPage + 1;
  if (neededCount > MAX_PREFIX_LENGTH) return null;
  if (order === 'priority' || order === 'milestone_due') {
    const milestones = groupByRank(await listDueMilestones(db, id), direction);
    return takeUntilEnough(db, milestones, neededCount, ({ firstIds }) =>
      query.where(milestoneCondition(db, firstIds)),
    );
  }
  if (order !== 'label_priority') return null;
  const labels = groupByRank(await listPrioritizedLabels(db, id), direction);
  return takeUntilEnough(db, labels, neededCount, ({ firstIds, otherIds }) => {
    const labelledIssues = unindexed.where(sql<SqlBool>`issues.id in (${selectLabelledIssues(db, firstIds)})`);
    // An issue is sorted by its best label. In ascending order the labels outside the prefix are worse.
    return direction === 'asc'
      ? labelledIssues
      : labelledIssues.where(
          sql<SqlBool>`not exists (${selectLabelledIssues(db, otherIds)} and issue_label.issue_id = issues.id)`,
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

/** The ids of the first groups, and those of the remaining groups. */
interface RankSplit {
  readonly firstIds: readonly number[];
  readonly otherIds: readonly number[];
}

/** Returns the query for the fewest first groups (1, 2, 4, ...) that have enough issues, or null if all groups have too few. */
async function takeUntilEnough(
  db: Reader,
  groups: readonly (readonly number[])[],
  neededCount: number,
  buildQuery: (split: RankSplit) => IssueIdQuery,
): Promise<IssueIdQuery | null> {
  for (let groupCount = 1; groups.length > 0; groupCount *= 2) {
    const prefixQuery = buildQuery({
      firstIds: groups.slice(0, groupCount).flat(),
      otherIds: groups.slice(groupCount).flat(),
    });
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
const milestoneCondition = (db: Reader, ids: readonly number[]): RawBuilder<SqlBool> =>
  isInIds(db, sql<number>`issues.milestone_id`, ids);

/** index: issue_labels_by_label, issue_labels_pkey */
const selectLabelledIssues = (db: Reader, ids: readonly number[]): RawBuilder<unknown> =>
  sql`select issue_label.issue_id from issue_labels as issue_label where ${isInIds(db, sql<number>`issue_label.label_id`, ids)}`;
