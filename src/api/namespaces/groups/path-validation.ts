import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { moveNamespaceRoutes, type Place } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Is nothing at this full path but, perhaps, this group? index: routes_by_full_path */
export async function isPathFree(db: Reader, fullPath: string, groupId?: number): Promise<boolean> {
  const found = await db
    .selectFrom('routes')
    .select('namespace_id')
    .where('full_path_key', '=', foldCase(fullPath))
    .executeTakeFirst();
  return found === undefined || found.namespace_id === groupId;
}

/**
 * The longest full path of a group, in characters: an index of PostgreSQL holds keys of 2,700 bytes, and what is in the
 * group, or waits for its deletion, adds to it.
 */
const LONGEST = 1500;

/** Would the group at this place, or a group below it, have a path that is too long? */
export async function isTooDeep(db: Reader, { full_path }: Place, groupId?: number): Promise<boolean> {
  if (groupId === undefined) return full_path.length > LONGEST;
  // index: namespace_closure_by_ancestor, routes_by_namespace
  const { longest, own } = await db
    .selectFrom('namespace_closure')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_closure.descendant_id')
    .where('namespace_closure.ancestor_id', '=', groupId)
    .select((eb) => [
      sql<number>`max(length(routes.full_path))`.as('longest'),
      eb.fn.min(sql<number>`length(routes.full_path)`).as('own'),
    ])
    .executeTakeFirstOrThrow();
  return full_path.length + longest - own > LONGEST;
}

/** What a record says of a path that something else has. */
export const TAKEN = ['has already been taken'];

/** What is wrong with a group's path at this place, beyond its characters. */
export async function placeProblems(db: Reader, place: Place, groupId?: number): Promise<string[]> {
  if (!(await isPathFree(db, place.full_path, groupId))) return TAKEN;
  return (await isTooDeep(db, place, groupId)) ? [`is too long (maximum is ${LONGEST} characters)`] : [];
}

/** Moves the group with all that is below it; each project that has another path now is told of. */
export async function moveGroup(uow: UnitOfWork, groupId: number, place: Place): Promise<void> {
  await moveNamespaceRoutes(uow, groupId, place, ({ project_id, old_path }) =>
    uow.publish('project-moved', { projectId: project_id, oldPaths: [old_path] }),
  );
}
