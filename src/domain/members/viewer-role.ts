import { type ExpressionWrapper, expressionBuilder } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import type { Params } from '#database/prepare.ts';
import { isActiveMembership } from './membership-expiry.ts';

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
