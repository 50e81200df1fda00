import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { listMemberSources, loadEffectiveMemberships, type MemberSource } from '#domain/members/memberships.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import type { AssignablePrincipals, ElementInput } from './access-levels.ts';

// Filters the principals that elements may name (contract/environments.md Parts 2 and 3).

/** The minimum role of members who may be named. */
const MINIMUM_ROLE = { group: MAINTAINER, project: DEVELOPER } as const;

/** Returns the users and groups in the inputs that elements of this group or project may name. */
export async function findAssignablePrincipals(
  db: Reader,
  parent: MemberSource,
  inputs: readonly ElementInput[],
): Promise<AssignablePrincipals> {
  const listIds = (key: 'user_id' | 'group_id') => [...new Set(inputs.flatMap((input) => input[key] ?? []))];
  const [userIds, groupIds] = [listIds('user_id'), listIds('group_id')];
  return {
    users: userIds.length === 0 ? new Set() : await filterMembers(db, parent, userIds),
    // Projects cannot be shared with groups.
    groups:
      groupIds.length === 0 || parent.type === 'project' ? new Set() : await filterGroups(db, parent.id, groupIds),
  };
}

/** Returns the ids of these users that are members with the minimum role, directly or inherited. */
async function filterMembers(db: Reader, parent: MemberSource, userIds: readonly number[]): Promise<Set<number>> {
  const memberships = await loadEffectiveMemberships(db, await listMemberSources(db, parent), userIds);
  const eligibleMemberships = [...memberships.values()].filter(({ access_level, expires_at }) => {
    return access_level >= MINIMUM_ROLE[parent.type] && (expires_at === null || expires_at > db.today);
  });
  return new Set(eligibleMemberships.map(({ user_id }) => user_id));
}

/** Returns the ids of these groups that are the group itself or a descendant. index: namespace_closure_pkey */
async function filterGroups(db: Reader, groupId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('namespace_closure')
    .select('descendant_id')
    .where('ancestor_id', '=', groupId)
    .where((eb) => isInIds(db, eb.ref('descendant_id'), ids))
    .execute();
  return new Set(rows.map(({ descendant_id }) => descendant_id));
}
