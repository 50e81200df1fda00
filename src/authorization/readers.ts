import { sql } from 'kysely';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { isActiveMembership } from '#domain/members/roles.ts';
import { canSeeGroup, type Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds, selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { canSeeProject, type Project } from '#domain/namespaces/projects.ts';

/**
 * Returns the users among these who can see the project and pass `mayRead`, in the given order. `mayRead` receives the
 * project as that user sees it.
 * index: users primary key, memberships_by_source, namespace_closure_pkey
 */
export async function filterProjectReaders(
  db: Reader,
  project: Project,
  userIds: readonly number[],
  mayRead: (reader: Caller, project: Project) => boolean,
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const users = await loadActiveUsers(db, userIds);
  const roles = await loadRoles(db, userIds, project.namespace_id, project.id);
  const readerIds = new Set(
    users
      .filter((user) => {
        const reader = { ...ANONYMOUS, user } as Caller;
        const readableProject = { ...project, direct_role: roles.get(user.id) ?? 0, inherited_role: 0 };
        return canSeeProject(reader, readableProject) && mayRead(reader, readableProject);
      })
      .map(({ id }) => id),
  );
  return [...new Set(userIds)].filter((id) => readerIds.has(id));
}

/**
 * Returns the users among these who can see the group and pass `mayRead`, in the given order. Users who see it only
 * through a membership below have no role in it.
 * index: users primary key, memberships_by_user, memberships_by_source, namespace_closure_pkey, namespace_closure_by_ancestor
 */
export async function filterGroupReaders(
  db: Reader,
  group: Group,
  userIds: readonly number[],
  mayRead: (reader: Caller, group: Group) => boolean,
): Promise<number[]> {
  const users = await loadActiveUsers(db, userIds);
  const roles = await loadRoles(db, userIds, group.id, null);
  const memberIdsBelow = await loadMembersBelow(db, userIds, group.id);
  const readerIds = new Set(
    users
      .filter((user) => {
        const reader = { ...ANONYMOUS, user } as Caller;
        const readableGroup = {
          ...group,
          role: roles.get(user.id) ?? 0,
          member_below: memberIdsBelow.has(user.id) ? 1 : 0,
        };
        return canSeeGroup(reader, readableGroup) && mayRead(reader, readableGroup);
      })
      .map(({ id }) => id),
  );
  return [...new Set(userIds)].filter((id) => readerIds.has(id));
}

function loadActiveUsers(db: Reader, userIds: readonly number[]) {
  return db
    .selectFrom('users')
    .select(['users.id', 'users.admin'])
    .where(isInIds(db, sql<number>`users.id`, userIds))
    .where('users.deletion_scheduled_at', 'is', null)
    .execute();
}

/** Returns the users among these with a membership in a descendant group or project. */
async function loadMembersBelow(db: Reader, userIds: readonly number[], groupId: number): Promise<ReadonlySet<number>> {
  const activeMemberships = db
    .selectFrom('memberships')
    .select('user_id')
    .where(isInIds(db, sql<number>`memberships.user_id`, userIds))
    .where(isActiveMembership('memberships.expires_at', db.today));
  const inGroups = activeMemberships
    .where('source_type', '=', 'group')
    .where('source_id', 'in', selectDescendantIds(db, groupId));
  const inProjects = activeMemberships
    .where('source_type', '=', 'project')
    .where('source_id', 'in', selectDescendantProjectIds(db, groupId));
  const rows = await inGroups.union(inProjects).execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Returns the highest role of each user in the namespace, its ancestors, or the project. */
async function loadRoles(
  db: Reader,
  userIds: readonly number[],
  namespaceId: number,
  projectId: number | null,
): Promise<ReadonlyMap<number, number>> {
  const ancestorIds = db.selectFrom('namespace_closure').select('ancestor_id').where('descendant_id', '=', namespaceId);
  // Separate queries, so that each can use the index on source and user; a single OR condition would scan all memberships.
  const activeMemberships = db
    .selectFrom('memberships')
    .select(['user_id', 'access_level'])
    .where(isInIds(db, sql<number>`memberships.user_id`, userIds))
    .where(isActiveMembership('memberships.expires_at', db.today));
  const inGroups = activeMemberships.where('source_type', '=', 'group').where('source_id', 'in', ancestorIds);
  const rows = await (projectId === null
    ? inGroups
    : inGroups.unionAll(activeMemberships.where('source_type', '=', 'project').where('source_id', '=', projectId))
  ).execute();
  const roles = new Map<number, number>();
  for (const { user_id, access_level } of rows) roles.set(user_id, Math.max(roles.get(user_id) ?? 0, access_level));
  return roles;
}
