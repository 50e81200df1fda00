import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { Group } from './groups.ts';
import { selectSelfAndAncestors } from './hierarchy.ts';
import type { Project } from './projects.ts';

// Labels, milestones and other resources that a project or group owns and that descendants inherit.

/** A project or a group. */
export type GroupOrProject =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: Group; readonly project?: undefined };

/** The fields of a `GroupOrProject` that are needed to find the resources that it owns. */
export type GroupOrProjectRef =
  | { readonly project: Pick<Project, 'id' | 'namespace_id'>; readonly group?: undefined }
  | { readonly group: Pick<Group, 'id'>; readonly project?: undefined };

/** The owners whose resources are included: a project, and groups with the nearest first. */
export interface NamespaceScope {
  readonly projectId: number | null;
  readonly groupIds: readonly number[];
}

/** Returns the scope of the project or group alone. */
export function selfOnly({ project, group }: GroupOrProjectRef): NamespaceScope {
  return { projectId: project?.id ?? null, groupIds: group ? [group.id] : [] };
}

/**
 * Returns the scope of the project or group and of all its ancestors. Users who can see a project or group may see the
 * resources in this scope.
 * index: namespace_closure_pkey
 */
export async function ancestorsAndSelf(db: Reader, { project, group }: GroupOrProjectRef): Promise<NamespaceScope> {
  const groups = await selectSelfAndAncestors(db, project?.namespace_id ?? group!.id)
    .select('namespaces.id')
    .orderBy('namespace_closure.depth')
    .execute();
  return { projectId: project?.id ?? null, groupIds: groups.map(({ id }) => id) };
}

/**
 * Condition on the rows of a table with `project_id` and `group_id`: the owner is in the scope.
 * index: labels_by_project, labels_by_group, milestones_by_project, milestones_by_group
 */
export function isInScope(
  table: 'labels' | 'milestones',
  { projectId, groupIds }: NamespaceScope,
): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const projectCondition = sql`${column('project_id')} = ${projectId}`;
  // PostgreSQL does not accept an empty list, and SQLite uses no index for an OR with a side that is never true.
  if (groupIds.length === 0) return projectId === null ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${projectCondition}`;
  const groupCondition = sql`${column('group_id')} in (${sql.join(groupIds)})`;
  return projectId === null
    ? sql<SqlBool>`${groupCondition}`
    : sql<SqlBool>`(${projectCondition} or ${groupCondition})`;
}

/** Sorts rows of the project first, then rows of groups from the nearest to the farthest, then rows of other owners. */
export function sortNearestFirst<Row extends { readonly group_id: number | null }>(
  { projectId, groupIds }: NamespaceScope,
  rows: readonly Row[],
): Row[] {
  const getDistance = ({ group_id }: Row) => {
    if (group_id === null) return projectId === null ? groupIds.length : -1;
    const index = groupIds.indexOf(group_id);
    return index === -1 ? groupIds.length : index;
  };
  return rows.toSorted((a, b) => getDistance(a) - getDistance(b));
}

/** The owner columns of a new row. */
export type OwnerColumns =
  | { readonly project_id: number; readonly group_id: null }
  | { readonly project_id: null; readonly group_id: number };

/** Returns the owner columns for a project or group. */
export function toNamespaceOwnerColumns({ project, group }: GroupOrProjectRef): OwnerColumns {
  return project ? { project_id: project.id, group_id: null } : { project_id: null, group_id: group!.id };
}
