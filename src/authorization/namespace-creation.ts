import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { DEVELOPER, MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { groupAttributes } from '#domain/namespaces/group-attributes.ts';
import { type Group, roleInGroup } from '#domain/namespaces/groups.ts';

/** Who may create what in a group: the group's own settings say it (contract/planning.md §0 "Who may"). Pure. */

type Place = Pick<Group, 'attributes' | 'role' | 'archived' | 'marked'>;

export function mayCreateProjectIn(caller: Caller, group: Place): boolean {
  if (isClosed(group)) return false;
  const level = groupAttributes(group.attributes).project_creation_level;
  if (level === 'noone') return false;
  if (level === 'administrator') return isAdministrator(caller);
  return roleInGroup(caller, group) >= PROJECT_ROLES[level];
}

export function mayCreateSubgroupIn(caller: Caller, group: Place): boolean {
  if (isClosed(group)) return false;
  return roleInGroup(caller, group) >= SUBGROUP_ROLES[groupAttributes(group.attributes).subgroup_creation_level];
}

/** Nothing comes into a group that is archived or going away, nor below one. */
const isClosed = ({ archived, marked }: Place) => archived || marked;

const PROJECT_ROLES = { owner: OWNER, maintainer: MAINTAINER, developer: DEVELOPER } as const;
const SUBGROUP_ROLES = { owner: OWNER, maintainer: MAINTAINER } as const;
