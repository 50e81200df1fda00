import { type Expression, type ExpressionWrapper, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import type { Params } from '#database/prepare.ts';

/** Roles by number (contract/README.md "Glossary"). 60 occurs only in access lists and means administrators. */
export const GUEST = 10;
export const PLANNER = 15;
export const REPORTER = 20;
export const DEVELOPER = 30;
export const MAINTAINER = 40;
export const OWNER = 50;
export const INSTANCE_ADMIN = 60;

/** Minimum role for checks that any membership passes. */
export const ANY_ROLE = 1;

export const ROLES: readonly number[] = [GUEST, PLANNER, REPORTER, DEVELOPER, MAINTAINER, OWNER];

const ROLE_NAMES: Readonly<Record<number, string>> = {
  [GUEST]: 'Guest',
  [PLANNER]: 'Planner',
  [REPORTER]: 'Reporter',
  [DEVELOPER]: 'Developer',
  [MAINTAINER]: 'Maintainer',
  [OWNER]: 'Owner',
};

/** Returns the display name of a role. */
export function getRoleName(role: number): string {
  return ROLE_NAMES[role] ?? 'No access';
}

/**
 * Condition: the membership has not expired. `expiresAt` is the column as the query names it (`memberships.expires_at`); `today`
 * is the UTC date, or a query parameter for it.
 */
export function isActiveMembership(
  expiresAt: `${string}expires_at`,
  today: string | Expression<unknown>,
): Expression<SqlBool> {
  const column = sql.ref(expiresAt);
  return sql<SqlBool>`(${column} is null or ${column} > ${today})`;
}

/**
 * Query parameters of the viewer, whose role is selected with each row: the user id (0: anonymous), and the current UTC date.
 */
export type ViewerParams = { user: number; today: string };

export function toViewerParams(db: Reader, { user }: Caller): ViewerParams {
  return { user: user?.id ?? 0, today: db.today };
}

/**
 * Builds an expression for the viewer's highest role in the group or its ancestors; 0 without a membership.
 * index: namespace_closure_pkey, memberships_by_source
 */
export function selectInheritedRole(
  namespaceId: 'namespaces.id' | 'projects.namespace_id',
  value: Params<ViewerParams>,
): ExpressionWrapper<Schema, 'namespaces' | 'projects', number> {
  const eb = expressionBuilder<Schema, 'namespaces' | 'projects'>();
  return eb.fn.coalesce(
    eb
      .selectFrom('namespace_closure')
      .innerJoin('memberships', 'memberships.source_id', 'namespace_closure.ancestor_id')
      .select((inner) => inner.fn.max('memberships.access_level').as('role'))
      .whereRef('namespace_closure.descendant_id', '=', namespaceId)
      .where('memberships.source_type', '=', 'group')
      .where('memberships.user_id', '=', value('user'))
      .where(isActiveMembership('memberships.expires_at', value('today'))),
    eb.lit(0),
  );
}
