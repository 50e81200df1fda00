import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { Group } from './groups.ts';
import { itselfAndAbove } from './hierarchy.ts';
import type { Project } from './projects.ts';

/** What belongs to projects and to groups, which hand it down: labels, milestones. */

/** A project or group that has such things; a `Parent` is one. */
export type Place =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: Group; readonly project?: undefined };

/** So much of a place tells whose things are meant. */
export type Somewhere =
  | { readonly project: Pick<Project, 'id' | 'namespace_id'>; readonly group?: undefined }
  | { readonly group: Pick<Group, 'id'>; readonly project?: undefined };

/** Whose things are meant: a project's, and those of groups, the nearest first. */
export interface Reach {
  readonly projectId: number | null;
  readonly groupIds: readonly number[];
}

/** What the place itself has. */
export function ownReach({ project, group }: Somewhere): Reach {
  return { projectId: project?.id ?? null, groupIds: group ? [group.id] : [] };
}

/** What it has and what the groups above it have. Who sees a place sees these. index: namespace_closure_pkey */
export async function reachOf(db: Reader, { project, group }: Somewhere): Promise<Reach> {
  const above = await itselfAndAbove(db, project?.namespace_id ?? group!.id)
    .select('namespaces.id')
    .orderBy('namespace_closure.depth')
    .execute();
  return { projectId: project?.id ?? null, groupIds: above.map(({ id }) => id) };
}

/** A condition on the rows of a table that has `project_id` and `group_id`. index: labels_by_project, labels_by_group, milestones_by_project, milestones_by_group */
export function within(table: 'labels' | 'milestones', { projectId, groupIds }: Reach): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const ofProject = sql`${column('project_id')} = ${projectId}`;
  // PostgreSQL knows no empty list, and beside a condition that nothing fulfils SQLite takes no index.
  if (groupIds.length === 0) return projectId === null ? sql<SqlBool>`1 = 0` : sql<SqlBool>`${ofProject}`;
  const ofGroups = sql`${column('group_id')} in (${sql.join(groupIds)})`;
  return projectId === null ? sql<SqlBool>`${ofGroups}` : sql<SqlBool>`(${ofProject} or ${ofGroups})`;
}

/** Those of the project first, then those of groups, the nearest first. */
export function nearestFirst<Row extends { readonly group_id: number | null }>(
  { groupIds }: Reach,
  rows: readonly Row[],
): Row[] {
  const distance = ({ group_id }: Row) => (group_id === null ? -1 : groupIds.indexOf(group_id));
  return rows.toSorted((one, other) => distance(one) - distance(other));
}

/** What the owner of a new row says of itself. */
export type Owner =
  | { readonly project_id: number; readonly group_id: null }
  | { readonly project_id: null; readonly group_id: number };

export function ownerOf({ project, group }: Somewhere): Owner {
  return project ? { project_id: project.id, group_id: null } : { project_id: null, group_id: group!.id };
}
