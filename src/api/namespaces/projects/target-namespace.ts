import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { mayCreateProjectIn } from '#authorization/namespace-creation.ts';
import type { Reader } from '#database/database.ts';
import type { Visibility } from '#database/schema.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { findGroup, type Group, getGroupRole } from '#domain/namespaces/groups.ts';
import { type FullPath, parseIdOrPath } from '#domain/namespaces/routes.ts';

/** The namespace of a new or transferred project. */
export interface TargetNamespace extends FullPath {
  readonly id: number;
  /** The maximum visibility of its projects. */
  readonly visibility: Visibility;
  /** Owner of a personal namespace; null for groups. */
  readonly owner_id: number | null;
  /** Null for personal namespaces. */
  readonly group: Group | null;
}

/**
 * Returns the group or personal namespace with this id or full path, or null. The caller must check whether it is
 * visible (`mayKnowTarget`).
 */
export async function findTarget(db: Reader, caller: Caller, id: string): Promise<TargetNamespace | null> {
  const group = await findGroup(db, caller, id);
  return group ? toGroupTarget(group) : findPersonalNamespace(db, id);
}

function toGroupTarget(group: Group): TargetNamespace {
  const { id, visibility, full_path, full_name } = group;
  return { id, visibility, full_path, full_name, owner_id: null, group };
}

/**
 * Selects personal namespaces that accept projects. Those of bots and of users who are being deleted do not, because they are deleted
 * with everything in them.
 */
function selectPersonalNamespaces(db: Reader) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .innerJoin('users', 'users.id', 'namespaces.owner_id')
    .where('namespaces.kind', '=', 'user')
    .where('users.deletion_scheduled_at', 'is', null)
    .where('users.bot', '=', false)
    .select(['namespaces.id', 'namespaces.visibility', 'namespaces.owner_id', 'routes.full_path', 'routes.full_name']);
}

async function findPersonalNamespace(db: Reader, id: string): Promise<TargetNamespace | null> {
  const idOrPath = parseIdOrPath(id);
  if (idOrPath === null) return null;
  const query = selectPersonalNamespaces(db);
  // index: namespaces primary key, routes_by_full_path
  const matchingQuery =
    'id' in idOrPath
      ? query.where('namespaces.id', '=', idOrPath.id)
      : query.where('routes.full_path_key', '=', idOrPath.key);
  const row = await matchingQuery.executeTakeFirst();
  return row ? { ...row, group: null } : null;
}

/** Returns a user's personal namespace; null for internal users and bots. */
export async function findPersonalTarget(db: Reader, userId: number): Promise<TargetNamespace | null> {
  // index: namespaces_by_owner
  const row = await selectPersonalNamespaces(db).where('namespaces.owner_id', '=', userId).executeTakeFirst();
  return row ? { ...row, group: null } : null;
}

/** Returns whether the caller may learn that the target exists, which owners, members and administrators may. */
export function mayKnowTarget(caller: Caller, target: TargetNamespace): boolean {
  if (isAdministrator(caller)) return true;
  return target.group ? getGroupRole(caller, target.group) > 0 : target.owner_id === caller.user?.id;
}

/** Returns whether the caller may create projects in the target. */
export function mayCreateProjectsIn(caller: Caller, target: TargetNamespace): boolean {
  if (target.group === null) return isAdministrator(caller) || target.owner_id === caller.user?.id;
  return mayCreateProjectIn(caller, target.group);
}

/** Returns whether the caller may transfer projects to the target. A group requires the role Maintainer. */
export function mayTransferProjectsTo(caller: Caller, target: TargetNamespace): boolean {
  const maintainsTarget = target.group === null || getGroupRole(caller, target.group) >= MAINTAINER;
  return maintainsTarget && mayCreateProjectsIn(caller, target);
}
