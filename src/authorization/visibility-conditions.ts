import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isAmongFound } from '#database/dialect.ts';
import { isLive } from '#domain/members/membership-expiry.ts';

/** The list form of what `canSeeProject` and `canSeeGroup` say of one row: SQL conditions on projects and namespaces. */

type Eb<Table extends keyof Schema> = ExpressionBuilder<Schema, Table>;

/** Projects that the caller may see. `today` ends memberships. */
export function projectVisibleTo(caller: Caller, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    if (caller.user === null) return eb('projects.visibility', '=', 'public');
    // Each project is asked in the order of the list: a list of groups is shorter than one of all that is in them.
    return eb.or([
      eb('projects.visibility', 'in', ['public', 'internal']),
      eb('projects.id', 'in', ownProjectIds(eb, caller.user.id, today, 1)),
      eb('projects.namespace_id', 'in', groupIdsWithRole(caller.user.id, 1, today)),
    ]);
  };
}

/** Projects where the user has at least this role by a membership, direct or from above. */
export function projectWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    // One list and not two conditions, so that the few projects of a user are looked up and not looked for.
    const below = eb
      .selectFrom('projects as below')
      .select('below.id as id')
      .where('below.namespace_id', 'in', groupIdsWithRole(userId, role, today));
    return eb('projects.id', 'in', ownProjectIds(eb, userId, today, role).unionAll(below));
  };
}

/**
 * The same where few of all projects are, and all of them are gathered: an index names the projects, another one those of
 * the groups. index: projects primary key, projects_by_namespace
 */
export function projectGatheredByRole(db: Reader, userId: number, role: number) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    const own = ownProjectIds(eb, userId, db.today, role);
    const groups = groupIdsWithRole(userId, role, db.today);
    return eb.or([
      isAmongFound(db, eb.ref('projects.id'), sql`(${own})`),
      isAmongFound(db, eb.ref('projects.namespace_id'), sql`(${groups})`),
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
    .where(isLive('own.expires_at', today));
}

/** Groups that the caller may see. */
export function groupVisibleTo(caller: Caller, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    if (caller.user === null) return eb('namespaces.visibility', '=', 'public');
    return eb.or([eb('namespaces.visibility', 'in', ['public', 'internal']), groupOfMember(caller.user.id, today)(eb)]);
  };
}

/** Groups that the user belongs to: directly, by a group above, or through something below. */
export function groupOfMember(userId: number, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> =>
    // One list and not two conditions: PostgreSQL would look at every group to ask either of them.
    eb('namespaces.id', 'in', groupIdsWithRole(userId, 1, today).union(groupIdsAboveMember(eb, userId, today)));
}

/** Groups where the user has at least this role, directly or from above. */
export function groupWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> =>
    eb('namespaces.id', 'in', groupIdsWithRole(userId, role, today));
}

/** The ids of these groups, as a query. index: memberships_by_user, namespace_closure_by_ancestor */
export function groupIdsWithRole(userId: number, role: number, today: string) {
  return expressionBuilder<Schema, never>()
    .selectFrom('memberships as above')
    .innerJoin('namespace_closure as down', 'down.ancestor_id', 'above.source_id')
    .select('down.descendant_id as id')
    .where('above.user_id', '=', userId)
    .where('above.source_type', '=', 'group')
    .where('above.access_level', '>=', role)
    .where(isLive('above.expires_at', today));
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
    .where(isLive('own.expires_at', today));
}
