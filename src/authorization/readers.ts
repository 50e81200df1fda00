import { sql } from 'kysely';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { isLive } from '#domain/members/membership-expiry.ts';
import { canSeeGroup, type Group } from '#domain/namespaces/groups.ts';
import { namespacesInside, projectsInside } from '#domain/namespaces/hierarchy.ts';
import { canSeeProject, type Project } from '#domain/namespaces/projects.ts';

/**
 * Of these users those who see the project and `mayRead` there, in the order in which they are named; to `mayRead` the
 * project is as that user sees it. index: users primary key, memberships_by_source, namespace_closure_pkey
 */
export async function readersAmong(
  db: Reader,
  project: Project,
  userIds: readonly number[],
  mayRead: (reader: Caller, project: Project) => boolean,
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const users = await presentAmong(db, userIds);
  const roles = await rolesAmong(db, userIds, project.namespace_id, project.id);
  const may = new Set(
    users
      .filter((user) => {
        const reader = { ...ANONYMOUS, user } as Caller;
        const seen = { ...project, direct_role: roles.get(user.id) ?? 0, inherited_role: 0 };
        return canSeeProject(reader, seen) && mayRead(reader, seen);
      })
      .map(({ id }) => id),
  );
  return [...new Set(userIds)].filter((id) => may.has(id));
}

/**
 * The same of a group: who sees it because he is a member of something below has no role in it.
 * index: users primary key, memberships_by_user, memberships_by_source, namespace_closure_pkey, namespace_closure_by_ancestor
 */
export async function groupReadersAmong(
  db: Reader,
  group: Group,
  userIds: readonly number[],
  mayRead: (reader: Caller, group: Group) => boolean,
): Promise<number[]> {
  const users = await presentAmong(db, userIds);
  const roles = await rolesAmong(db, userIds, group.id, null);
  const below = await membersBelow(db, userIds, group.id);
  const may = new Set(
    users
      .filter((user) => {
        const reader = { ...ANONYMOUS, user } as Caller;
        const seen = { ...group, role: roles.get(user.id) ?? 0, member_below: below.has(user.id) ? 1 : 0 };
        return canSeeGroup(reader, seen) && mayRead(reader, seen);
      })
      .map(({ id }) => id),
  );
  return [...new Set(userIds)].filter((id) => may.has(id));
}

function presentAmong(db: Reader, userIds: readonly number[]) {
  return db
    .selectFrom('users')
    .select(['users.id', 'users.admin'])
    .where(isAmong(db, sql<number>`users.id`, userIds))
    .where('users.deletion_scheduled_at', 'is', null)
    .execute();
}

async function membersBelow(db: Reader, userIds: readonly number[], groupId: number): Promise<ReadonlySet<number>> {
  const live = db
    .selectFrom('memberships')
    .select('user_id')
    .where(isAmong(db, sql<number>`memberships.user_id`, userIds))
    .where(isLive('memberships.expires_at', db.today));
  const inGroups = live.where('source_type', '=', 'group').where('source_id', 'in', namespacesInside(db, groupId));
  const inProjects = live.where('source_type', '=', 'project').where('source_id', 'in', projectsInside(db, groupId));
  const rows = await inGroups.union(inProjects).execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Of each of these users the highest role that he has in the namespace or above it, or in this project of it. */
async function rolesAmong(
  db: Reader,
  userIds: readonly number[],
  namespaceId: number,
  projectId: number | null,
): Promise<ReadonlyMap<number, number>> {
  const above = db.selectFrom('namespace_closure').select('ancestor_id').where('descendant_id', '=', namespaceId);
  // Each is looked up by source and user; for one condition of both an engine would look at all members of the place.
  const live = db
    .selectFrom('memberships')
    .select(['user_id', 'access_level'])
    .where(isAmong(db, sql<number>`memberships.user_id`, userIds))
    .where(isLive('memberships.expires_at', db.today));
  const inGroups = live.where('source_type', '=', 'group').where('source_id', 'in', above);
  const rows = await (projectId === null
    ? inGroups
    : inGroups.unionAll(live.where('source_type', '=', 'project').where('source_id', '=', projectId))
  ).execute();
  const roles = new Map<number, number>();
  for (const { user_id, access_level } of rows) {
    roles.set(user_id, Math.max(roles.get(user_id) ?? 0, access_level));
  }
  return roles;
}
