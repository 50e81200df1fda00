import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery, withoutIndex } from '#database/dialect.ts';
import { type CountStrategy, countRows, scanMatches } from '#database/page.ts';
import { COMMON_THRESHOLD } from '#database/search/common-substrings.ts';
import { projectArchived } from '#domain/namespaces/archive-state.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Parent } from '#http/access/parents.ts';
import type { ListPage } from '#http/lists/page.ts';
import type { ReferenceContext } from '../entities.ts';
import type { IssuableTables } from '../kind.ts';
import { findMostSelective, isSmallProject, type ListCondition } from './query-strategy.ts';

/** Queries for the ids of lists of issues and merge requests, before they are sorted. */

/** What a list covers: a project, a group with its subgroups, or (`group: null`) all projects. */
export type IssuableListParent =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: { readonly id: number } | null; readonly project?: undefined; readonly nonArchived: boolean };

/** Returns the context to which references in the list are relative. */
const referenceContext = (parent: IssuableListParent): ReferenceContext =>
  parent.project ? 'project' : (parent.group?.id ?? null);

/** Covers a project, or a group with its subgroups, archived projects included. */
export function allInParent({ project, group }: Pick<Parent, 'project' | 'group'>): IssuableListParent {
  return project ? { project } : { group: group ?? null, nonArchived: false };
}

/** Adds the reference context to each row of a page. */
export function withReferenceContext<Row extends object>(
  parent: IssuableListParent,
  page: ListPage<Row>,
): ListPage<Row & { readonly referenceContext: ReferenceContext }> {
  return { ...page, items: page.items.map((row) => ({ ...row, referenceContext: referenceContext(parent) })) };
}

export type IssuableIdQuery<Table extends IssuableTables['table']> = SelectQueryBuilder<Schema, Table, { id: number }>;

/** Which issuables the caller can see: conditions within one project, and across projects (joined with `projects`). */
interface ListVisibility {
  readonly inProject: () => Expression<SqlBool>;
  readonly anywhere: () => Expression<SqlBool>;
  /** An index across all projects has the sort order. Other orders read and sort all rows. */
  readonly hasIndexedOrder: boolean;
}

/** Queries for the ids of a list, not sorted yet. */
interface IdQueries<Table extends IssuableTables['table']> {
  readonly query: IssuableIdQuery<Table>;
  /** The same query without the project index, to be combined with an id condition; null if there are few rows. */
  readonly unindexed: IssuableIdQuery<Table> | null;
  /** The same query for reading all rows in no order. */
  readonly unordered: IssuableIdQuery<Table>;
  /** Few of many rows may match, so that reading them in order could be slow: they should be counted first. */
  readonly needsCount: boolean;
}

/** Builds the id queries for the issuables of the parent that fulfil the conditions and that the caller can see. */
export async function buildIdQueries<Table extends IssuableTables['table']>(
  db: Reader,
  tables: IssuableTables & { readonly table: Table },
  parent: IssuableListParent,
  conditions: readonly ListCondition[],
  visibility: ListVisibility,
): Promise<IdQueries<Table>> {
  const groupCondition = parent.group ? await smallGroupCondition(db, tables, parent.group) : null;
  const cheapConditions = conditions.filter(({ isExpensive }) => !isExpensive);
  const all = [
    ...(groupCondition === null ? [] : [groupCondition]),
    ...cheapConditions,
    ...conditions.filter(({ isExpensive }) => isExpensive),
  ];
  const isSmall = all.length > 0 && (await isSmallProject(db, { tables, project: parent.project ?? null }));
  const selective = isSmall ? null : await findMostSelective(db, all);
  const isExact = selective !== null && selective.idsSuperset === undefined;
  const otherConditions = all.filter((one) => one !== selective || !isExact);
  const projectId = sql.ref<number>(`${tables.table}.project_id`);
  // The unary plus only changes the plan.
  const unindexed = sql<number>`+${projectId}`;
  const buildQuery = (idColumn: RawBuilder<number>, predicates = otherConditions.map(({ predicate }) => predicate)) =>
    selectVisibleIds(db, tables, parent, idColumn, visibility).where((eb) => eb.and(predicates));
  const cast = (query: IssuableIdQuery<'issues'>) => query as unknown as IssuableIdQuery<Table>;
  if (selective === null) {
    // A group may have few projects, which are looked up. Across all projects, every row is read in any case.
    const needsSort = parent.group === null && !visibility.hasIndexedOrder;
    const query = cast(buildQuery(needsSort ? withoutIndex(db, projectId) : projectId));
    // Joined with projects, PostgreSQL would repeat the search in each project.
    const singleProjectQuery =
      parent.project &&
      cast(
        buildQuery(
          projectId,
          otherConditions.map(({ predicate, unorderedPredicate }) => unorderedPredicate ?? predicate),
        ),
      );
    return {
      query,
      unindexed: cast(buildQuery(unindexed)),
      unordered: singleProjectQuery ?? query,
      needsCount: all.length > 0 && !isSmall,
    };
  }
  const isSelected = isInSubquery(
    db,
    sql.ref<number>(`${tables.table}.id`),
    sql`(${selective.idsSuperset ?? selective.ids})`,
  );
  const query = cast(buildQuery(unindexed).where(isSelected));
  return { query, unindexed: null, unordered: query, needsCount: false };
}

/** Returns the queries, with the number of rows where it is already known. */
export async function withCount<Table extends IssuableTables['table']>(
  db: Reader,
  tables: IssuableTables & { readonly table: Table },
  { query, unindexed, unordered, needsCount }: IdQueries<Table>,
): Promise<Pick<IdQueries<Table>, 'query' | 'unindexed'> & { readonly count?: CountStrategy }> {
  if (!needsCount) return { query, unindexed, ...(unindexed === null && { count: 'countInPageQuery' }) };
  const { isMatch: isKnown, count } = await scanMatches(db, unordered);
  if (isKnown === null) return { query, unindexed, count };
  const id = sql.ref<number>(`${tables.table}.id`);
  const listQuery = db
    .selectFrom(tables.table as 'issues')
    .select(id.as('id'))
    .where(isKnown(id));
  return { query: listQuery as unknown as IssuableIdQuery<Table>, unindexed: null, count };
}

/**
 * Returns an id condition for a group with few projects, which may be more selective than the other conditions; null for larger groups.
 * The query itself checks the group by the project of each row. index: namespace_closure_by_ancestor, projects_by_namespace
 */
async function smallGroupCondition(
  db: Reader,
  tables: IssuableTables,
  { id }: { readonly id: number },
): Promise<ListCondition | null> {
  const projects = sql`select inside.id from projects as inside where inside.namespace_id in (${selectDescendantIds(db, id)})`;
  if ((await countRows(db, sql`(${projects} limit ${sql.lit(COMMON_THRESHOLD + 1)})`)) > COMMON_THRESHOLD) return null;
  const ids = sql`select one.id from ${sql.table(tables.table)} as one where one.project_id in (${projects})`;
  return { predicate: sql<SqlBool>`1 = 1`, ids };
}

/** Selects the ids in the parent that the caller can see. The form of `projectId` decides whether the engine may use its index. */
function selectVisibleIds(
  db: Reader,
  tables: IssuableTables,
  parent: IssuableListParent,
  projectId: RawBuilder<number>,
  visibility: ListVisibility,
): IssuableIdQuery<'issues'> {
  // Both tables have the columns used here.
  const rows = db.selectFrom(tables.table as 'issues').select(sql.ref<number>(`${tables.table}.id`).as('id'));
  if (parent.project)
    return rows.where(sql<SqlBool>`${projectId} = ${parent.project.id}`).where(visibility.inProject());
  let wide = rows.innerJoin('projects', (join) => join.on(sql<SqlBool>`projects.id = ${projectId}`));
  wide = wide.where(visibility.anywhere());
  if (parent.nonArchived) wide = wide.where(projectArchived(false));
  if (parent.group !== null) wide = wide.where('projects.namespace_id', 'in', selectDescendantIds(db, parent.group.id));
  return wide as unknown as IssuableIdQuery<'issues'>;
}
