import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { DEVELOPER, MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { type Group, getGroupRole } from '#domain/namespaces/groups.ts';

// Who may create projects and groups, by the settings of the parent group or the user (contract/planning.md §0 "Who may").

type ParentGroup = Pick<Group, 'attributes' | 'role' | 'archived' | 'marked'>;

/** Returns whether the caller may create projects in the group. */
export function mayCreateProjectIn(caller: Caller, group: ParentGroup): boolean {
  if (isClosed(group)) return false;
  const level = parseGroupAttributes(group.attributes).project_creation_level;
  if (level === 'noone') return false;
  if (level === 'administrator') return isAdministrator(caller);
  return getGroupRole(caller, group) >= MIN_ROLES_FOR_PROJECTS[level];
}

/** Returns whether the caller may create groups without a parent. */
export async function mayCreateTopLevelGroup(db: Reader, caller: SignedInCaller): Promise<boolean> {
  if (isAdministrator(caller)) return true;
  return !caller.user.external && ((await findUserById(db, caller.user.id))?.can_create_group ?? false);
}

/** Returns whether the caller may create subgroups in the group. */
export function mayCreateSubgroupIn(caller: Caller, group: ParentGroup): boolean {
  if (isClosed(group)) return false;
  return (
    getGroupRole(caller, group) >=
    MIN_ROLES_FOR_SUBGROUPS[parseGroupAttributes(group.attributes).subgroup_creation_level]
  );
}

/** Returns whether the group or an ancestor is archived or marked for deletion: then nothing can be created in it. */
const isClosed = ({ archived, marked }: ParentGroup) => archived || marked;

const MIN_ROLES_FOR_PROJECTS = { owner: OWNER, maintainer: MAINTAINER, developer: DEVELOPER } as const;
const MIN_ROLES_FOR_SUBGROUPS = { owner: OWNER, maintainer: MAINTAINER } as const;
