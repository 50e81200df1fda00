import { sql } from 'kysely';
import type { Reader } from '../database/database.ts';
import { isAmong } from '../database/dialect.ts';
import { type Caller, NOBODY } from '../identity/caller.ts';
import { isLive } from './live.ts';
import { canSeeProject, type Project } from './projects.ts';

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
  const users = await db
    .selectFrom('users')
    .select(['users.id', 'users.admin'])
    .where(isAmong(db, sql<number>`users.id`, userIds))
    .where('users.deletion_scheduled_at', 'is', null)
    .execute();
  const roles = await rolesAmong(db, project, userIds);
  const may = new Set(
    users
      .filter((user) => {
        const reader = { ...NOBODY, user } as Caller;
        const seen = { ...project, direct_role: roles.get(user.id) ?? 0, inherited_role: 0 };
        return canSeeProject(reader, seen) && mayRead(reader, seen);
      })
      .map(({ id }) => id),
  );
  return [...new Set(userIds)].filter((id) => may.has(id));
}

async function rolesAmong(
  db: Reader,
  { id, namespace_id }: Project,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const above = db.selectFrom('namespace_closure').select('ancestor_id').where('descendant_id', '=', namespace_id);
  const rows = await db
    .selectFrom('memberships')
    .select(['user_id', 'source_type', 'access_level'])
    .where(isAmong(db, sql<number>`memberships.user_id`, userIds))
    .where((eb) =>
      eb.or([
        eb.and([eb('source_type', '=', 'project'), eb('source_id', '=', id)]),
        eb.and([eb('source_type', '=', 'group'), eb('source_id', 'in', above)]),
      ]),
    )
    .where(isLive('memberships.expires_at', db.today))
    .execute();
  const roles = new Map<number, number>();
  for (const { user_id, access_level } of rows) {
    roles.set(user_id, Math.max(roles.get(user_id) ?? 0, access_level));
  }
  return roles;
}
