import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery } from '#database/dialect.ts';
import { isActiveMembership } from '#domain/members/membership-expiry.ts';

/** SQL conditions on projects and namespaces, equivalent to `canSeeProject` and `canSeeGroup`. */

type Eb<Table extends keyof Schema> = ExpressionBuilder<Schema, Table>;

/** Condition: the caller can see the project. `today`: memberships that end on or before this day do not count. */
export function projectVisibleTo(caller: Caller, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    if (caller.user === null) return eb('projects.visibility', '=', 'public');
    // Each project of the list is tested in order: a set of groups is smaller than a set of all their projects.
    return eb.or([
      eb('projects.visibility', 'in', ['public', 'internal']),
      eb('projects.id', 'in', ownProjectIds(eb, caller.user.id, today, 1)),
      eb('projects.namespace_id', 'in', groupIdsWithRole(caller.user.id, 1, today)),
    ]);
  };
}

/** Condition: the user has at least this role in the project by a direct or inherited membership. */
export function projectWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    // One set instead of two conditions, so that the few projects of a user are looked up by index.
    const below = eb
      .selectFrom('projects as below')
      .select('below.id as id')
      .where('below.namespace_id', 'in', groupIdsWithRole(userId, role, today));
    return eb('projects.id', 'in', ownProjectIds(eb, userId, today, role).unionAll(below));
  };
}

/**
 * The same condition for queries that match few projects and read all of them: the projects come from one index, those
 * of the groups from another.
 * index: projects primary key, projects_by_namespace
 */
export function projectWithRoleIndexed(db: Reader, userId: number, role: number) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    const ownMemberProjects = ownProjectIds(eb, userId, db.today, role);
    const groups = groupIdsWithRole(userId, role, db.today);
    return eb.or([
      isInSubquery(db, eb.ref('projects.id'), sql`(${ownMemberProjects})`),
      isInSubquery(db, eb.ref('projects.namespace_id'), sql`(${groups})`),
    ]);
  };
}

// index: memberships_by_user
function ownProjectIds(eb: Eb<'projects'>, userId: number, today: string, role: number) {
  return eb
    .selectFrom('memberships as own')
    .select('own.source_id as id')
    .where('own.user_id', '=', userId)
    .where('own.source_type', '=', 'project')
    .where('own.access_level', '>=', role)
    .where(isActiveMembership('own.expires_at', today));
}

/** Condition: the caller can see the group. */
export function groupVisibleTo(caller: Caller, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    if (caller.user === null) return eb('namespaces.visibility', '=', 'public');
    return eb.or([
      eb('namespaces.visibility', 'in', ['public', 'internal']),
      groupWithMember(caller.user.id, today)(eb),
    ]);
  };
}

/** Condition: the user is a member of the group, of an ancestor, or of anything below it. */
export function groupWithMember(userId: number, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> =>
    // One set instead of two conditions: PostgreSQL would test every group against both.
    eb('namespaces.id', 'in', groupIdsWithRole(userId, 1, today).union(groupIdsAboveMember(eb, userId, today)));
}

/** Condition: the user has at least this role in the group, directly or inherited. */
export function groupWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> =>
    eb('namespaces.id', 'in', groupIdsWithRole(userId, role, today));
}

/** Selects the ids of these groups. index: memberships_by_user, namespace_closure_by_ancestor */
export function groupIdsWithRole(userId: number, role: number, today: string) {
  return expressionBuilder<Schema, never>()
    .selectFrom('memberships as above')
    .innerJoin('namespace_closure as down', 'down.ancestor_id', 'above.source_id')
    .select('down.descendant_id as id')
    .where('above.user_id', '=', userId)
    .where('above.source_type', '=', 'group')
    .where('above.access_level', '>=', role)
    .where(isActiveMembership('above.expires_at', today));
}

// index: memberships_by_user, namespace_closure_pkey
function groupIdsAboveMember(eb: Eb<'namespaces'>, userId: number, today: string) {
  return eb
    .selectFrom('memberships as own')
    .leftJoin('projects as member_project', (join) =>
      join.onRef('member_project.id', '=', 'own.source_id').on('own.source_type', '=', 'project'),
    )
    .innerJoin('namespace_closure as up', (join) =>
      join.on((on) => on('up.descendant_id', '=', on.fn.coalesce('member_project.namespace_id', 'own.source_id'))),
    )
    .select('up.ancestor_id as id')
    .where('own.user_id', '=', userId)
    .where(isActiveMembership('own.expires_at', today));
}
