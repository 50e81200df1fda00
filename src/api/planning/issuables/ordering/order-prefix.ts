import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { countUpTo } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { IssuableIdQuery } from '../filters/listing.ts';
import type { IssuableTables } from '../kind.ts';

// Computed sort orders (milestone due date, best label priority) have no index. The first pages need no full sort: their rows have
// the first milestones or the best labels. Milestones or labels are taken in sort order until they have enough rows for the page.
// These rows are the prefix of the list.

/** Maximum number of rows in a prefix. For later pages the optimization is not worth it. */
export const MAX_PREFIX_LENGTH = 1_000;

/** The query of a list, with and without the project index. */
interface CandidateQueries<Table extends TableName> {
  readonly query: IssuableIdQuery<Table>;
  readonly unindexedQuery: IssuableIdQuery<Table>;
}

type TableName = IssuableTables['table'];

/** The tables of the list, its project and its order. */
interface OrderedProjectList<Table extends TableName> {
  readonly tables: IssuableTables & { readonly table: Table };
  readonly project: Pick<Project, 'id'>;
  readonly order: string;
  readonly direction: 'asc' | 'desc';
}

/** Returns a query for the first rows in this order, up to the end of the page. Returns null if all rows must be sorted. */
export async function buildTopRowsQuery<Table extends TableName>(
  db: Reader,
  { query, unindexedQuery }: CandidateQueries<Table>,
  { tables, project: { id }, order, direction }: OrderedProjectList<Table>,
  { page, perPage }: OffsetRequest,
): Promise<IssuableIdQuery<Table> | null> {
  const neededCount = page * perPage + 1;
  if (neededCount > MAX_PREFIX_LENGTH) return null;
  if (order === 'priority' || order === 'milestone_due') {
    const milestones = groupByRank(await listDueMilestones(db, tables, id), direction);
    return takeUntilEnough(db, milestones, neededCount, ({ firstIds }) =>
      query.where(milestoneCondition(db, tables, firstIds)),
    );
  }
  if (order !== 'label_priority') return null;
  const labels = groupByRank(await listPrioritizedLabels(db, id), direction);
  return takeUntilEnough(db, labels, neededCount, ({ firstIds, otherIds }) => {
    const rowId = sql.ref(`${tables.table}.id`);
    const labelledQuery = unindexedQuery.where(sql<SqlBool>`${rowId} in (${selectLabelledRows(db, tables, firstIds)})`);
    // A row is sorted by its best label. In ascending order the labels outside the prefix are worse.
    return direction === 'asc'
      ? labelledQuery
      : labelledQuery.where(
          sql<SqlBool>`not exists (${selectLabelledRows(db, tables, otherIds)} and ${getLabelledIdRef(tables)} = ${rowId})`,
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

/** Returns the query for the fewest first groups (1, 2, 4, ...) that have enough rows, or null if all groups have too few. */
async function takeUntilEnough<Table extends TableName>(
  db: Reader,
  groups: readonly (readonly number[])[],
  neededCount: number,
  buildQuery: (split: RankSplit) => IssuableIdQuery<Table>,
): Promise<IssuableIdQuery<Table> | null> {
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

/**
 * Lists the milestones with a due date that rows of the project have, earliest first.
 * index: issues_by_project_milestone, merge_requests_by_project_milestone, milestones primary key
 */
async function listDueMilestones(db: Reader, { table }: IssuableTables, projectId: number): Promise<RankedId[]> {
  const usedIds = db
    .selectFrom(table as 'issues')
    .select('milestone_id')
    .distinct()
    .where('project_id', '=', projectId);
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

/** Matches rows with one of the milestones. index: issues_by_project_milestone, merge_requests_by_project_milestone */
const milestoneCondition = (db: Reader, { table }: IssuableTables, ids: readonly number[]): RawBuilder<SqlBool> =>
  isInIds(db, sql.ref<number>(`${table}.milestone_id`), ids);

const getLabelledIdRef = ({ foreignKey }: IssuableTables) => sql.ref(`label_link.${foreignKey}`);

/**
 * Selects the ids of issuables with one of the labels.
 * index: issue_labels_by_label, issue_labels_pkey, merge_request_labels_by_label, merge_request_labels_pkey
 */
const selectLabelledRows = (db: Reader, tables: IssuableTables, ids: readonly number[]): RawBuilder<unknown> =>
  sql`select ${getLabelledIdRef(tables)} from ${sql.table(tables.labelTable)} as label_link where ${isInIds(db, sql<number>`label_link.label_id`, ids)}`;
