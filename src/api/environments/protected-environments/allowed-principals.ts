import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { effectiveMemberships, type MemberSource, sourcesOf } from '#domain/members/memberships.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import type { Assignable, GivenElement } from './access-levels.ts';

/** Who may be named by the elements of a protection, of those whom these name (contract/environments.md Parts 2 and 3). */

/** The least role of members who may be named. */
const LEAST = { group: MAINTAINER, project: DEVELOPER } as const;

export async function assignableAmong(
  db: Reader,
  parent: MemberSource,
  given: readonly GivenElement[],
): Promise<Assignable> {
  const named = (key: 'user_id' | 'group_id') => [...new Set(given.flatMap((one) => one[key] ?? []))];
  const [users, groups] = [named('user_id'), named('group_id')];
  return {
    users: users.length === 0 ? new Set() : await membersAmong(db, parent, users),
    // Projects are shared with no groups.
    groups: groups.length === 0 || parent.type === 'project' ? new Set() : await groupsAmong(db, parent.id, groups),
  };
}

async function membersAmong(db: Reader, parent: MemberSource, userIds: readonly number[]): Promise<Set<number>> {
  const memberships = await effectiveMemberships(db, await sourcesOf(db, parent), userIds);
  const able = [...memberships.values()].filter(({ access_level, expires_at }) => {
    return access_level >= LEAST[parent.type] && (expires_at === null || expires_at > db.today);
  });
  return new Set(able.map(({ user_id }) => user_id));
}

/** The group itself and those inside it. index: namespace_closure_pkey */
async function groupsAmong(db: Reader, groupId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('namespace_closure')
    .select('descendant_id')
    .where('ancestor_id', '=', groupId)
    .where((eb) => isAmong(db, eb.ref('descendant_id'), ids))
    .execute();
  return new Set(rows.map(({ descendant_id }) => descendant_id));
}
