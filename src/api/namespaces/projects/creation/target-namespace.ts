import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { mayCreateProjectIn } from '#authorization/namespace-creation.ts';
import type { Reader } from '#database/database.ts';
import type { Visibility } from '#database/tables/domain.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { findGroup, type Group, roleInGroup } from '#domain/namespaces/groups.ts';
import { namedBy, type Place } from '#domain/namespaces/routes.ts';

/** A namespace that a project is to be made in, or moved to. */
export interface Target extends Place {
  readonly id: number;
  /** A project is at most as visible as this. */
  readonly visibility: Visibility;
  /** Of a personal namespace; null for groups. */
  readonly owner_id: number | null;
  /** Null for personal namespaces. */
  readonly group: Group | null;
}

/** The group or personal namespace of this id or full path; null when there is none. Whether the caller sees it is not asked. */
export async function findTarget(db: Reader, caller: Caller, id: string): Promise<Target | null> {
  const group = await findGroup(db, caller, id);
  return group ? groupTarget(group) : personalTarget(db, id);
}

function groupTarget(group: Group): Target {
  const { id, visibility, full_path, full_name } = group;
  return { id, visibility, full_path, full_name, owner_id: null, group };
}

/** Those of users who are being removed go with them: nothing comes into them any more. Into those of bots nothing ever does. */
function personalNamespaces(db: Reader) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .innerJoin('users', 'users.id', 'namespaces.owner_id')
    .where('namespaces.kind', '=', 'user')
    .where('users.deletion_scheduled_at', 'is', null)
    .where('users.bot', '=', false)
    .select(['namespaces.id', 'namespaces.visibility', 'namespaces.owner_id', 'routes.full_path', 'routes.full_name']);
}

async function personalTarget(db: Reader, id: string): Promise<Target | null> {
  const named = namedBy(id);
  if (named === null) return null;
  const query = personalNamespaces(db);
  // index: namespaces primary key, routes_by_full_path
  const one =
    'id' in named ? query.where('namespaces.id', '=', named.id) : query.where('routes.full_path_key', '=', named.key);
  const row = await one.executeTakeFirst();
  return row ? { ...row, group: null } : null;
}

/** A user's own namespace; internal users have none, and those of bots are none for projects. */
export async function personalTargetOf(db: Reader, userId: number): Promise<Target | null> {
  // index: namespaces_by_owner
  const row = await personalNamespaces(db).where('namespaces.owner_id', '=', userId).executeTakeFirst();
  return row ? { ...row, group: null } : null;
}

/** May the caller know of it as a place for projects: it is his own, or he is a member? */
export function belongsTo(caller: Caller, target: Target): boolean {
  if (isAdministrator(caller)) return true;
  return target.group ? roleInGroup(caller, target.group) > 0 : target.owner_id === caller.user?.id;
}

/** May the caller put projects there? */
export function mayPutProjects(caller: Caller, target: Target): boolean {
  if (target.group === null) return isAdministrator(caller) || target.owner_id === caller.user?.id;
  return mayCreateProjectIn(caller, target.group);
}

/** May the caller receive projects of others there? That takes a Maintainer of a group. */
export function mayReceiveProjects(caller: Caller, target: Target): boolean {
  const mayHaveThem = target.group === null || roleInGroup(caller, target.group) >= MAINTAINER;
  return mayHaveThem && mayPutProjects(caller, target);
}
