import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery } from '#database/dialect.ts';
import type { Visibility } from '#database/schema.ts';
import { ANY_ROLE, isActiveMembership, REPORTER } from '#domain/members/roles.ts';
import type { ApplicationSettings } from '#settings/settings.ts';

// SQL conditions on projects and namespaces, equivalent to `canSeeProject` and `canSeeGroup`.

type Eb<Table extends keyof Schema> = ExpressionBuilder<Schema, Table>;

/** Condition: the caller can see the project. `today`: memberships that end on or before this day do not count. */
export function projectVisibleTo(caller: Caller, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    if (caller.user === null) return eb('projects.visibility', '=', 'public');
    // Lists scan projects in order and test each one. The set of group ids is smaller than the set of their projects.
    return eb.or([
      eb('projects.visibility', 'in', ['public', 'internal']),
      eb('projects.id', 'in', directMemberProjectIds(eb, caller.user.id, today, ANY_ROLE)),
      eb('projects.namespace_id', 'in', groupIdsWithRole(caller.user.id, ANY_ROLE, today)),
    ]);
  };
}

/**
 * Condition: the caller can see the project and use the feature of this column. In a private project members from
 * `rolePrivate` can.
 */
export function projectFeatureVisibleTo(
  column: 'repository_access_level' | 'merge_requests_access_level',
  rolePrivate: number,
  caller: Caller,
  today: string,
) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    const level = eb.ref(`projects.${column}`);
    if (isAdministrator(caller)) return eb(level, '<>', 'disabled');
    const enabled = eb(level, '=', 'enabled');
    if (caller.user === null) return eb.and([projectVisibleTo(caller, today)(eb), enabled]);
    const { id } = caller.user;
    const hasRole = (role: number) => projectWithRole(id, role, today)(eb);
    const isOpenProject = eb('projects.visibility', 'in', ['public', 'internal']);
    return eb.and([
      eb.or([enabled, eb.and([eb(level, '=', 'private'), hasRole(ANY_ROLE)])]),
      eb.or([isOpenProject, hasRole(rolePrivate)]),
    ]);
  };
}

/** Condition: the user has at least this role in the project by a direct or inherited membership. */
export function projectWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    // One set instead of two conditions, so that the few projects of a user are looked up by index.
    const groupProjectIds = eb
      .selectFrom('projects as group_project')
      .select('group_project.id as id')
      .where('group_project.namespace_id', 'in', groupIdsWithRole(userId, role, today));
    return eb('projects.id', 'in', directMemberProjectIds(eb, userId, today, role).unionAll(groupProjectIds));
  };
}

/**
 * Condition of `projectWithRole` for queries that match few projects and have no limit. Each of its two parts uses its
 * own index.
 * index: projects primary key, projects_by_namespace
 */
export function projectWithRoleIndexed(db: Reader, userId: number, role: number) {
  return (eb: Eb<'projects'>): Expression<SqlBool> => {
    const directMemberProjects = directMemberProjectIds(eb, userId, db.today, role);
    const groups = groupIdsWithRole(userId, role, db.today);
    return eb.or([
      isInSubquery(db, eb.ref('projects.id'), sql`(${directMemberProjects})`),
      isInSubquery(db, eb.ref('projects.namespace_id'), sql`(${groups})`),
    ]);
  };
}

// index: memberships_by_user
function directMemberProjectIds(eb: Eb<'projects'>, userId: number, today: string, role: number) {
  return eb
    .selectFrom('memberships as membership')
    .select('membership.source_id as id')
    .where('membership.user_id', '=', userId)
    .where('membership.source_type', '=', 'project')
    .where('membership.access_level', '>=', role)
    .where(isActiveMembership('membership.expires_at', today));
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
    eb('namespaces.id', 'in', groupIdsWithRole(userId, ANY_ROLE, today).union(groupIdsAboveMember(eb, userId, today)));
}

/** Condition: the user has at least this role in the group, directly or inherited. */
export function groupWithRole(userId: number, role: number, today: string) {
  return (eb: Eb<'namespaces'>): Expression<SqlBool> =>
    eb('namespaces.id', 'in', groupIdsWithRole(userId, role, today));
}

/**
 * Selects the ids of the groups in which the user has at least this role, directly or inherited.
 * index: memberships_by_user, namespace_closure_by_ancestor
 */
export function groupIdsWithRole(userId: number, role: number, today: string) {
  return expressionBuilder<Schema, never>()
    .selectFrom('memberships as membership')
    .innerJoin('namespace_closure as descendant', 'descendant.ancestor_id', 'membership.source_id')
    .select('descendant.descendant_id as id')
    .where('membership.user_id', '=', userId)
    .where('membership.source_type', '=', 'group')
    .where('membership.access_level', '>=', role)
    .where(isActiveMembership('membership.expires_at', today));
}

/**
 * Selects the ids of groups that contain, at any depth, a group or project of which the user is a direct member.
 * index: memberships_by_user, namespace_closure_pkey
 */
function groupIdsAboveMember(eb: Eb<'namespaces'>, userId: number, today: string) {
  return eb
    .selectFrom('memberships as membership')
    .leftJoin('projects as member_project', (join) =>
      join.onRef('member_project.id', '=', 'membership.source_id').on('membership.source_type', '=', 'project'),
    )
    .innerJoin('namespace_closure as ancestor', (join) =>
      join.on((on) =>
        on('ancestor.descendant_id', '=', on.fn.coalesce('member_project.namespace_id', 'membership.source_id')),
      ),
    )
    .select('ancestor.ancestor_id as id')
    .where('membership.user_id', '=', userId)
    .where(isActiveMembership('membership.expires_at', today));
}

/** Levels of the features that deployments need, with the minimum role where the level is `private`. */
const LEVELS = [
  ['projects.environments_access_level', REPORTER],
  ['projects.builds_access_level', ANY_ROLE],
  ['projects.repository_access_level', ANY_ROLE],
] as const;

/**
 * Condition on projects that the caller can see: they may read the deployments, as the ability `read_deployment`. Memberships that
 * end on or before this day do not count.
 */
export function deploymentsVisibleTo(caller: Caller, today: string) {
  return (eb: ExpressionBuilder<Schema, 'projects'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.and(LEVELS.map(([level]) => eb(level, '<>', 'disabled')));
    const { user } = caller;
    const hasRole = (role: number) => (user === null ? eb.lit(false) : projectWithRole(user.id, role, today)(eb));
    return eb.and([
      ...LEVELS.map(([level, role]) =>
        eb.or([eb(level, '=', 'enabled'), eb.and([eb(level, '=', 'private'), hasRole(role)])]),
      ),
      eb.or([eb('projects.visibility', '<>', 'private'), hasRole(REPORTER)]),
    ]);
  };
}

export type { FeatureLevel, Visibility } from '#database/schema.ts';

/** Visibility levels, from the least to the most visible. */
export const VISIBILITIES = ['private', 'internal', 'public'] as const;

/** Display names of visibility levels in audit events. */
export const VISIBILITY_NAMES = { private: 'Private', internal: 'Internal', public: 'Public' } as const;

/** Returns the rank of a visibility level; a more visible level has a greater rank. */
export function getVisibilityRank(visibility: Visibility): number {
  return VISIBILITIES.indexOf(visibility);
}

/** Returns the less visible of two levels: a child is never more visible than its parent. */
export function minVisibility(a: Visibility, b: Visibility): Visibility {
  return getVisibilityRank(a) <= getVisibilityRank(b) ? a : b;
}

/** Returns an error text if the instance restricts the level to administrators, else no texts (contract/conventions.md §11). */
export function validateAllowedVisibility(
  caller: Caller,
  visibility: Visibility,
  { restricted_visibility_levels }: VisibilitySettings,
): string[] {
  if (isAdministrator(caller) || !restricted_visibility_levels.includes(visibility)) return [];
  return [`${visibility} has been restricted by your administrator`];
}

/** Returns the most visible unrestricted level up to `requestedLevel`; `private` if all are restricted for the caller. */
export function getWidestAllowedVisibility(
  caller: Caller,
  requestedLevel: Visibility,
  settings: VisibilitySettings,
): Visibility {
  const allowed = VISIBILITIES.filter((level) => validateAllowedVisibility(caller, level, settings).length === 0);
  return allowed.filter((level) => getVisibilityRank(level) <= getVisibilityRank(requestedLevel)).at(-1) ?? 'private';
}

type VisibilitySettings = Pick<ApplicationSettings, 'restricted_visibility_levels'>;
