import { sql } from 'kysely';
import { getVisibilityRank, VISIBILITIES } from '#authorization/visibility.ts';
import type { Visibility } from '#database/column-types.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { hasRow } from '#database/page.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { FullPath } from '#domain/namespaces/routes.ts';

/** Returns whether no group, project or user other than this group has the full path. index: routes_by_full_path */
export async function isPathFree(db: Reader, fullPath: string, groupId?: number): Promise<boolean> {
  const route = await db
    .selectFrom('routes')
    .select('namespace_id')
    .where('full_path_key', '=', foldCase(fullPath))
    .executeTakeFirst();
  return route === undefined || route.namespace_id === groupId;
}

/**
 * Maximum length of a group's full path, in characters. A PostgreSQL index key has at most 2,700 bytes, and paths of
 * projects and of groups marked for deletion are longer.
 */
const MAX_FULL_PATH_LENGTH = 1500;

/** Returns whether the new path of the group, or of a group below it, would be too long. */
export async function isPathTooLong(db: Reader, { full_path }: FullPath, groupId?: number): Promise<boolean> {
  if (groupId === undefined) return full_path.length > MAX_FULL_PATH_LENGTH;
  // index: namespace_closure_by_ancestor, routes_by_namespace
  const { longestLength, ownLength } = await db
    .selectFrom('namespace_closure')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_closure.descendant_id')
    .where('namespace_closure.ancestor_id', '=', groupId)
    .select((eb) => [
      sql<number>`max(length(routes.full_path))`.as('longestLength'),
      eb.fn.min(sql<number>`length(routes.full_path)`).as('ownLength'),
    ])
    .executeTakeFirstOrThrow();
  return full_path.length + longestLength - ownLength > MAX_FULL_PATH_LENGTH;
}

/** The error for a path that is taken. */
export const PATH_TAKEN = ['has already been taken'];

/** Returns errors if the full path of a group is taken or too long. */
export async function validateFullPath(db: Reader, fullPath: FullPath, groupId?: number): Promise<string[]> {
  if (!(await isPathFree(db, fullPath.full_path, groupId))) return PATH_TAKEN;
  return (await isPathTooLong(db, fullPath, groupId))
    ? [`is too long (maximum is ${MAX_FULL_PATH_LENGTH} characters)`]
    : [];
}

/** Returns errors if `visibility` exceeds the visibility of the parent. */
export function validateParentVisibility(parent: Pick<Group, 'visibility'> | null, visibility: Visibility): string[] {
  if (parent === null || getVisibilityRank(visibility) <= getVisibilityRank(parent.visibility)) return [];
  return [`${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`];
}

/** Returns errors if a group or project below is more visible than `visibility`. */
export async function validateDescendantVisibility(
  db: Reader,
  groupId: number,
  visibility: Visibility,
): Promise<string[]> {
  const widerVisibilities = listWiderVisibilities(visibility);
  if (widerVisibilities.length === 0) return [];
  return [
    ...((await hasGroupsBelow(db, groupId, widerVisibilities))
      ? [`${visibility} is not allowed since there are sub-groups with higher visibility.`]
      : []),
    ...((await hasProjectsBelow(db, groupId, widerVisibilities))
      ? [`${visibility} is not allowed since this group contains projects with higher visibility.`]
      : []),
  ];
}

/** Returns the visibilities that are wider. A child is never more visible than its parent (contract/planning.md §3.1). */
export const listWiderVisibilities = (visibility: Visibility) =>
  VISIBILITIES.filter((candidate) => getVisibilityRank(candidate) > getVisibilityRank(visibility));

/**
 * Returns whether a subgroup has one of these visibilities. Only direct subgroups are checked, because deeper ones are never more
 * visible. index: namespaces_by_parent
 */
function hasGroupsBelow(db: Reader, groupId: number, visibilities: readonly Visibility[]): Promise<boolean> {
  const groups = db.selectFrom('namespaces').where('parent_id', '=', groupId);
  return hasRow(groups.where('visibility', 'in', visibilities).select('id'));
}

/** Returns whether a project directly in the group has one of these visibilities. index: projects_by_namespace */
function hasProjectsBelow(db: Reader, groupId: number, visibilities: readonly Visibility[]): Promise<boolean> {
  const projects = db.selectFrom('projects').where('namespace_id', '=', groupId);
  return hasRow(projects.where('visibility', 'in', visibilities).select('id'));
}
