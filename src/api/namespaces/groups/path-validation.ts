import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type FullPath, moveNamespaceRoutes } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Returns whether the full path is unused, or used only by this group. index: routes_by_full_path */
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

/** Moves the group with everything below it, and publishes an event for each project whose path changes. */
export async function moveGroup(uow: UnitOfWork, groupId: number, fullPath: FullPath): Promise<void> {
  await moveNamespaceRoutes(uow, groupId, fullPath, ({ project_id, old_path }) =>
    uow.publish('project-moved', { projectId: project_id, oldPaths: [old_path] }),
  );
}
