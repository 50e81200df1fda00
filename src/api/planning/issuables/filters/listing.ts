import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery, withoutIndex } from '#database/dialect.ts';
import { type CountStrategy, countRows, scanMatches } from '#database/page.ts';
import { COMMON_THRESHOLD } from '#database/search/common-substrings.ts';
import { projectArchivedCondition } from '#domain/namespaces/archive-state.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Parent } from '#http/access/parents.ts';
import type { ListPage } from '#http/lists/page.ts';
import type { ReferenceContext } from '../entities.ts';
import type { IssuableTables } from '../kind.ts';
import { findMostSelective, isSmallProject, type ListCondition } from './query-strategy.ts';

/** Queries for the ids of lists of issues and merge requests, before they are sorted. */

/** Scope of a list: a project, a group with its subgroups, or all projects (`group: null`). */
export type IssuableListParent =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: { readonly id: number } | null; readonly project?: undefined; readonly nonArchived: boolean };

/** Returns the project or group to which references in the list are relative. */
const toReferenceContext = (parent: IssuableListParent): ReferenceContext =>
  parent.project ? 'project' : (parent.group?.id ?? null);

/** Returns the scope of a project, or of a group with its subgroups; includes archived projects. */
export function toListParent({ project, group }: Pick<Parent, 'project' | 'group'>): IssuableListParent {
  return project ? { project } : { group: group ?? null, nonArchived: false };
}

/** Adds the reference context to each row of a page. */
export function withReferenceContext<Row extends object>(
  parent: IssuableListParent,
  page: ListPage<Row>,
): ListPage<Row & { readonly referenceContext: ReferenceContext }> {
  return { ...page, items: page.items.map((row) => ({ ...row, referenceContext: toReferenceContext(parent) })) };
}

/** A query for ids of issuables. */
export type IssuableIdQuery<Table extends IssuableTables['table']> = SelectQueryBuilder<Schema, Table, { id: number }>;

/** Conditions for the issuables that the caller may read: in one project, and across projects (joined with `projects`). */
interface ListVisibility {
  readonly inProject: () => Expression<SqlBool>;
  readonly acrossProjects: () => Expression<SqlBool>;
  /** Whether an index across all projects has the sort order. Otherwise the query reads and sorts all rows. */
  readonly hasIndexedOrder: boolean;
}

/** The query for the ids of a list, not sorted yet. */
interface ListIdQuery<Table extends IssuableTables['table']> {
  readonly query: IssuableIdQuery<Table>;
  /** The same query without the project index, to be combined with an id condition. Null if `query` has an id condition. */
  readonly unindexed: IssuableIdQuery<Table> | null;
}

/** The query with the properties from which its count strategy is chosen. */
interface IdQueries<Table extends IssuableTables['table']> extends ListIdQuery<Table> {
  /** The same query, faster if all rows are read unsorted. */
  readonly unordered: IssuableIdQuery<Table>;
  /** Whether matches should be counted first: if few of many rows match, a scan in sort order is slow. */
  readonly needsCount: boolean;
}

/** Builds the id queries for the issuables of the parent that fulfil the conditions and that the caller may read. */
export async function buildIdQueries<Table extends IssuableTables['table']>(
  db: Reader,
  tables: IssuableTables & { readonly table: Table },
  parent: IssuableListParent,
  conditions: readonly ListCondition[],
  visibility: ListVisibility,
): Promise<IdQueries<Table>> {
  const groupCondition = parent.group ? await smallGroupCondition(db, tables, parent.group) : null;
  const cheapConditions = conditions.filter(({ isExpensive }) => !isExpensive);
  const allConditions = [
    ...(groupCondition === null ? [] : [groupCondition]),
    ...cheapConditions,
    ...conditions.filter(({ isExpensive }) => isExpensive),
  ];
  // The rows of a small project are always scanned, so no matches are counted.
  const isSmall = allConditions.length > 0 && (await isSmallProject(db, { tables, project: parent.project ?? null }));
  const drivingCondition = isSmall ? null : await findMostSelective(db, allConditions);
  // Rows of a superset must still be tested with the predicate.
  const isExact = drivingCondition !== null && drivingCondition.idsSuperset === undefined;
  const otherConditions = allConditions.filter((condition) => condition !== drivingCondition || !isExact);
  const projectId = sql.ref<number>(`${tables.table}.project_id`);
  // The unary plus keeps the query planner from using an index on the column.
  const unindexedProjectId = sql<number>`+${projectId}`;
  const buildQuery = (
    projectIdColumn: RawBuilder<number>,
    predicates = otherConditions.map(({ predicate }) => predicate),
  ) => selectVisibleIds(db, tables, parent, projectIdColumn, visibility).where((eb) => eb.and(predicates));
  const castToTable = (query: IssuableIdQuery<'issues'>) => query as unknown as IssuableIdQuery<Table>;
  if (drivingCondition === null) {
    // A list of all projects in an order without an index reads every row, so the index by project does not help.
    const needsSort = parent.group === null && !visibility.hasIndexedOrder;
    const query = castToTable(buildQuery(needsSort ? withoutIndex(db, projectId) : projectId));
    // Only for one project: with a join of projects, PostgreSQL would repeat the search in each project.
    const singleProjectQuery =
      parent.project &&
      castToTable(
        buildQuery(
          projectId,
          otherConditions.map(({ predicate, unorderedPredicate }) => unorderedPredicate ?? predicate),
        ),
      );
    return {
      query,
      unindexed: castToTable(buildQuery(unindexedProjectId)),
      unordered: singleProjectQuery ?? query,
      needsCount: allConditions.length > 0 && !isSmall,
    };
  }
  const isSelected = isInSubquery(
    db,
    sql.ref<number>(`${tables.table}.id`),
    sql`(${drivingCondition.idsSuperset ?? drivingCondition.ids})`,
  );
  const query = castToTable(buildQuery(unindexedProjectId).where(isSelected));
  return { query, unindexed: null, unordered: query, needsCount: false };
}

/** Returns the query of a list and how to count its rows. Counts the matches first if `needsCount` is set. */
export async function chooseCountStrategy<Table extends IssuableTables['table']>(
  db: Reader,
  tables: IssuableTables & { readonly table: Table },
  { query, unindexed, unordered, needsCount }: IdQueries<Table>,
): Promise<ListIdQuery<Table> & { readonly count?: CountStrategy }> {
  if (!needsCount) return { query, unindexed, ...(unindexed === null && { count: 'countInPageQuery' }) };
  const { isMatch, count } = await scanMatches(db, unordered);
  // Many rows match, so a scan in list order fills the page early.
  if (isMatch === null) return { query, unindexed, count };
  const id = sql.ref<number>(`${tables.table}.id`);
  const listQuery = db
    .selectFrom(tables.table as 'issues')
    .select(id.as('id'))
    .where(isMatch(id));
  return { query: listQuery as unknown as IssuableIdQuery<Table>, unindexed: null, count };
}

/**
 * Returns an id condition for a group with few projects, which may be more selective than the other conditions; null for larger groups.
 * The predicate is always true, because the list query already checks the group. index: namespace_closure_by_ancestor, projects_by_namespace
 */
async function smallGroupCondition(
  db: Reader,
  tables: IssuableTables,
  { id }: { readonly id: number },
): Promise<ListCondition | null> {
  const projectIds = sql`select group_project.id from projects as group_project where group_project.namespace_id in (${selectDescendantIds(db, id)})`;
  if ((await countRows(db, sql`(${projectIds} limit ${sql.lit(COMMON_THRESHOLD + 1)})`)) > COMMON_THRESHOLD)
    return null;
  const ids = sql`select candidate.id from ${sql.table(tables.table)} as candidate where candidate.project_id in (${projectIds})`;
  return { predicate: sql<SqlBool>`1 = 1`, ids };
}

/** Selects the ids of the issuables in the parent that the caller may read. The engine uses the project index only if `projectId` is a plain column. */
function selectVisibleIds(
  db: Reader,
  tables: IssuableTables,
  parent: IssuableListParent,
  projectId: RawBuilder<number>,
  visibility: ListVisibility,
): IssuableIdQuery<'issues'> {
  // The cast to `issues` is safe: both tables have the columns used here.
  const baseQuery = db.selectFrom(tables.table as 'issues').select(sql.ref<number>(`${tables.table}.id`).as('id'));
  if (parent.project)
    return baseQuery.where(sql<SqlBool>`${projectId} = ${parent.project.id}`).where(visibility.inProject());
  let joinedQuery = baseQuery.innerJoin('projects', (join) => join.on(sql<SqlBool>`projects.id = ${projectId}`));
  joinedQuery = joinedQuery.where(visibility.acrossProjects());
  if (parent.nonArchived) joinedQuery = joinedQuery.where(projectArchivedCondition(false));
  if (parent.group !== null)
    joinedQuery = joinedQuery.where('projects.namespace_id', 'in', selectDescendantIds(db, parent.group.id));
  return joinedQuery as unknown as IssuableIdQuery<'issues'>;
}
