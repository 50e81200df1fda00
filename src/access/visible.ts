import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Schema } from '../database/database.ts';
import { type Caller, isAdministrator } from '../identity/caller.ts';
import { isLive } from './live.ts';

/** The list form of what `canSeeProject` and `canSeeGroup` say of one row: SQL conditions on projects and namespaces. */

type Eb<Table extends keyof Schema> = ExpressionBuilder<Schema, Table>;

/** Projects that the caller may see. `today` ends memberships. */
export function projectVisibleTo(caller: Caller, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    if (caller.user === null) return eb('projects.visibility', '=', 'public');
    return eb.or([
      eb('projects.visibility', 'in', ['public', 'internal']),
      eb('projects.id', 'in', memberProjectIds(eb, caller.user.id, today, 1)),
    ]);
  };
}

/** Projects where the user has at least this role by a membership, direct or from above. */
export function projectWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> =>
    eb('projects.id', 'in', memberProjectIds(eb, userId, today, role));
}

// index: memberships_by_user, namespace_closure_by_ancestor, projects_by_namespace
function memberProjectIds(eb: Eb<'projects'>, userId: number, today: string, role: number) {
  return eb
    .selectFrom('memberships as own')
    .select('own.source_id as id')
    .where('own.user_id', '=', userId)
    .where('own.source_type', '=', 'project')
    .where('own.access_level', '>=', role)
    .where(isLive('own.expires_at', today))
    .unionAll((union) =>
      union
        .selectFrom('memberships as above')
        .innerJoin('namespace_closure', 'namespace_closure.ancestor_id', 'above.source_id')
        .innerJoin('projects as below', 'below.namespace_id', 'namespace_closure.descendant_id')
        .select('below.id as id')
        .where('above.user_id', '=', userId)
        .where('above.source_type', '=', 'group')
        .where('above.access_level', '>=', role)
        .where(isLive('above.expires_at', today)),
    );
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
    eb('namespaces.id', 'in', groupIdsWithRole(eb, userId, 1, today).union(groupIdsAboveMember(eb, userId, today)));
}

/** Groups where the user has at least this role, directly or from above. */
export function groupWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> =>
    eb('namespaces.id', 'in', groupIdsWithRole(eb, userId, role, today));
}

// index: memberships_by_user, namespace_closure_by_ancestor
function groupIdsWithRole(eb: Eb<'namespaces'>, userId: number, role: number, today: string) {
  return eb
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
