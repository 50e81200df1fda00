import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql, ValueNode } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { isAmongCollected, isInSubquery, withoutIndex } from '#database/dialect.ts';
import { COUNT_LIMIT, type CountStrategy, countRows, countUpTo, scanMatches } from '#database/page.ts';
import { COMMON_THRESHOLD } from '#database/search/common-substrings.ts';
import { projectArchivedCondition } from '#domain/namespaces/archive-state.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Parent } from '#http/access/parents.ts';
import type { ListPage } from '#http/lists/pagination.ts';
import type { ReferenceContext } from '../entities.ts';
import type { IssuableTables } from '../kind.ts';
import { findMostSelective, isSmallProject, type ListCondition } from './query-strategy.ts';

// Queries for the ids of lists of issues and merge requests, before they are sorted. The engines choose slow plans for many of these
// lists, so each query exists in several forms, and counts decide which one runs.

/** The scope of a list: the issuables of a project, of a group with its subgroups, or of all projects (`group: null`). */
export type IssuableListParent =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: { readonly id: number } | null; readonly project?: undefined; readonly nonArchived: boolean };

/** Returns the project or group to which references in the list are relative. */
const toReferenceContext = (parent: IssuableListParent): ReferenceContext =>
  parent.project ? 'project' : (parent.group?.id ?? null);

/** Returns the parent of a list for a project, or for a group with its subgroups. Archived projects are included. */
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
  readonly visibleInProject: () => Expression<SqlBool>;
  readonly visibleAcrossProjects: () => Expression<SqlBool>;
  /** Whether an index across all projects has the sort order. Otherwise the query reads and sorts all rows. */
  readonly hasIndexedOrder: boolean;
}

/**
 * Number of related rows of one condition that are tested first. If enough of these match, the list is scanned in sort order without
 * further counts.
 */
const SAMPLE_SIZE = 3 * COUNT_LIMIT;

/** The query for the ids of a list, not sorted yet. */
interface ListIdQuery<Table extends IssuableTables['table']> {
  readonly query: IssuableIdQuery<Table>;
  /** The same query without the project index, to be combined with an id condition. Null if `query` has an id condition. */
  readonly unindexedQuery: IssuableIdQuery<Table> | null;
}

/** The query with the properties from which its count strategy is chosen. */
export interface IdQueries<Table extends IssuableTables['table']> extends ListIdQuery<Table> {
  /** The same query in the form that is faster if all rows are read unsorted. */
  readonly unorderedQuery: IssuableIdQuery<Table>;
  /** The same query in the form that is faster if many rows match and the first ones are read in sort order. */
  readonly orderedQuery: IssuableIdQuery<Table>;
  /** The same query restricted to the first `SAMPLE_SIZE` rows of one condition, which may be all; null if none is suitable. */
  readonly sample: { readonly query: IssuableIdQuery<Table>; readonly isComplete: boolean } | null;
  /** Whether matches should be counted first: if few of many rows match, a scan in sort order is slow. */
  readonly needsCount: boolean;
  /** Whether the query selects all rows of a project, so that an index in the sort order contains exactly its rows. */
  readonly selectsWholeProject: boolean;
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
  const toPredicates = (conditions: readonly ListCondition[]) => conditions.map(({ predicate }) => predicate);
  const buildQuery = (
    projectIdColumn: RawBuilder<number>,
    predicates = toPredicates(otherConditions),
    joinedId = sql.ref<number>('projects.id'),
    listParent = parent,
  ) =>
    selectVisibleIds(db, tables, listParent, [projectIdColumn, joinedId], visibility).where((eb) => eb.and(predicates));
  // The engines would search the projects of a group one by one and sort all of their rows, or look each id up for each project.
  const buildGroupQuery = (
    group: { readonly id: number },
    column: RawBuilder<number>,
    conditions = otherConditions,
  ) => {
    const predicates = [isInGroup(db, column, group), ...toPredicates(conditions)];
    const allProjects = { ...parent, group: null } as IssuableListParent;
    return buildQuery(column, predicates, sql.ref('projects.id'), allProjects);
  };
  const selectAmong = (ids: RawBuilder<unknown>, conditions = otherConditions) => {
    const isSelected = isInSubquery(db, sql.ref<number>(`${tables.table}.id`), ids);
    const query = parent.group
      ? buildGroupQuery(parent.group, unindexedProjectId, conditions)
      : buildQuery(unindexedProjectId, toPredicates(conditions));
    return query.where(isSelected);
  };
  const castToTable = (query: IssuableIdQuery<'issues'>) => query as unknown as IssuableIdQuery<Table>;
  if (drivingCondition !== null) {
    const drivenQuery = castToTable(selectAmong(sql`(${drivingCondition.idsSuperset ?? drivingCondition.ids})`));
    return {
      query: drivenQuery,
      unindexedQuery: null,
      unorderedQuery: drivenQuery,
      orderedQuery: drivenQuery,
      sample: null,
      needsCount: false,
      selectsWholeProject: false,
    };
  }
  // A list of all projects in an order without an index reads every row, so the index by project does not help.
  const needsSort = parent.group === null && !visibility.hasIndexedOrder;
  const withoutProjectIndex = castToTable(buildQuery(withoutIndex(db, projectId)));
  const query = needsSort ? withoutProjectIndex : castToTable(buildQuery(projectId));
  const unsortedQueryPredicates = otherConditions.map((condition) => {
    // With the projects of a group, PostgreSQL would look for related rows in each project again.
    const repeatsSearch = condition.negatedPredicate !== undefined || condition.repeatsSearchInGroups;
    return parent.group && repeatsSearch
      ? condition.predicate
      : (condition.unsortedQueryPredicate ?? condition.predicate);
  });
  // Without this, SQLite would read the rows of all projects, and then look whether each project belongs to the group.
  const joinedId = parent.group ? withoutIndex(db, sql.ref<number>('projects.id')) : sql.ref<number>('projects.id');
  const walkQuery = parent.group
    ? castToTable(buildGroupQuery(parent.group, withoutIndex(db, projectId)))
    : withoutProjectIndex;
  const needsCount = allConditions.length > 0 && !isSmall;
  const sampled = needsCount ? await findSampledCondition(db, parent, cheapConditions) : null;
  const selectSample = ({ ids }: ListCondition) =>
    selectAmong(
      sql`(${ids} limit ${sql.lit(SAMPLE_SIZE)})`,
      otherConditions.filter((condition) => condition.ids !== ids),
    );
  return {
    query,
    unindexedQuery: castToTable(buildQuery(unindexedProjectId)),
    unorderedQuery: castToTable(buildQuery(projectId, unsortedQueryPredicates, joinedId)),
    orderedQuery: parent.project || !visibility.hasIndexedOrder ? query : walkQuery,
    sample: sampled && { query: castToTable(selectSample(sampled.condition)), isComplete: sampled.isComplete },
    needsCount,
    selectsWholeProject: !!parent.project && allConditions.length === 0 && isConstant(visibility.visibleInProject()),
  };
}

/**
 * Returns the condition whose first rows tell how many match the list, and whether it has at most `SAMPLE_SIZE` rows. A scan of one
 * project, or of all, with a condition on a column uses the index of the column, so only related rows are sampled. A scan of a
 * group reads all of its rows; the first rows of all projects say little about it, unless they are complete.
 */
async function findSampledCondition(
  db: Reader,
  { group }: IssuableListParent,
  conditions: readonly ListCondition[],
): Promise<{ readonly condition: ListCondition; readonly isComplete: boolean } | null> {
  const suitableCondition = conditions.findLast(
    ({ ids, negatedPredicate, hasIdsOfGroup }) => ids && (group ? hasIdsOfGroup : negatedPredicate),
  );
  const condition = suitableCondition ?? (group ? conditions.findLast(({ ids }) => ids) : undefined);
  if (condition === undefined) return null;
  const isComplete = (await countRows(db, sql`(${condition.ids!} limit ${sql.lit(SAMPLE_SIZE + 1)})`)) <= SAMPLE_SIZE;
  return suitableCondition || isComplete ? { condition, isComplete } : null;
}

/** Returns whether a condition is the same for all rows, such as `true` for a caller who may read all of them. */
const isConstant = (condition: Expression<SqlBool>): boolean => ValueNode.is(condition.toOperationNode());

/** Matches rows of the group's projects. The engines test it before subqueries of each row, but would join the projects after them. index: projects_by_namespace */
function isInGroup(db: Reader, projectId: RawBuilder<number>, { id }: { readonly id: number }): RawBuilder<SqlBool> {
  const projectIds = sql`select group_project.id from projects as group_project where group_project.namespace_id in (${selectDescendantIds(db, id)})`;
  return isAmongCollected(projectId, projectIds);
}

/** Returns the query of a list and how to count its rows. Counts the matches first if `needsCount` is set. */
export async function chooseCountStrategy<Table extends IssuableTables['table']>(
  db: Reader,
  tables: IssuableTables & { readonly table: Table },
  { query, unindexedQuery, unorderedQuery, orderedQuery, sample, needsCount }: IdQueries<Table>,
): Promise<ListIdQuery<Table> & { readonly count?: CountStrategy }> {
  if (!needsCount) return { query, unindexedQuery, ...(unindexedQuery === null && { count: 'countInPageQuery' }) };
  const isIncomplete = sample?.isComplete === false;
  if (isIncomplete && (await countUpTo(db, sample.query, COUNT_LIMIT + 1)) > COUNT_LIMIT)
    return { query: orderedQuery, unindexedQuery, count: async () => COUNT_LIMIT + 1 };
  const { buildMatchCondition, count } = await scanMatches(db, sample?.isComplete ? sample.query : unorderedQuery);
  // Many rows match, so a scan in list order fills the page early.
  if (buildMatchCondition === null) return { query: orderedQuery, unindexedQuery, count };
  const id = sql.ref<number>(`${tables.table}.id`);
  const listQuery = db
    .selectFrom(tables.table as 'issues')
    .select(id.as('id'))
    .where(buildMatchCondition(id));
  return { query: listQuery as unknown as IssuableIdQuery<Table>, unindexedQuery: null, count };
}

/**
 * Returns an id condition for a group with few projects, which may be more selective than the other conditions. Returns null for
 * larger groups. The predicate is always true, because the list query already checks the group.
 * index: namespace_closure_by_ancestor, projects_by_namespace
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
  return { predicate: sql<SqlBool>`1 = 1`, ids, hasIdsOfGroup: true };
}

/**
 * Selects the ids of the issuables in the parent that the caller may read. The engine uses the index of the issuables by project, or
 * of projects by id, only if `projectId` or `joinedId` is a plain column.
 */
function selectVisibleIds(
  db: Reader,
  tables: IssuableTables,
  parent: IssuableListParent,
  [projectId, joinedId]: readonly [projectId: RawBuilder<number>, joinedId: RawBuilder<number>],
  visibility: ListVisibility,
): IssuableIdQuery<'issues'> {
  // The cast to `issues` is safe: both tables have the columns used here.
  const baseQuery = db.selectFrom(tables.table as 'issues').select(sql.ref<number>(`${tables.table}.id`).as('id'));
  if (parent.project)
    return baseQuery.where(sql<SqlBool>`${projectId} = ${parent.project.id}`).where(visibility.visibleInProject());
  let joinedQuery = baseQuery.innerJoin('projects', (join) => join.on(sql<SqlBool>`${joinedId} = ${projectId}`));
  joinedQuery = joinedQuery.where(visibility.visibleAcrossProjects());
  if (parent.nonArchived) joinedQuery = joinedQuery.where(projectArchivedCondition(false));
  if (parent.group !== null)
    joinedQuery = joinedQuery.where('projects.namespace_id', 'in', selectDescendantIds(db, parent.group.id));
  return joinedQuery as unknown as IssuableIdQuery<'issues'>;
}
