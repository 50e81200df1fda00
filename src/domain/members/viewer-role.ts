import { type ExpressionWrapper, expressionBuilder } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import type { Params } from '#database/prepare.ts';
import { isLive } from './membership-expiry.ts';

/** Rows are read together with the roles of whoever asks for them: of user `user` (0 for nobody), as of `today`. */
export type Asker = { user: number; today: string };

export function askerOf(db: Reader, { user }: Caller): Asker {
  return { user: user?.id ?? 0, today: db.today };
}

/** The asker's highest membership in a group or above it; 0 without one. index: namespace_closure_pkey, memberships_by_source */
export function roleFromAbove(
  namespaceId: 'namespaces.id' | 'projects.namespace_id',
  value: Params<Asker>,
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
      .where(isLive('memberships.expires_at', value('today'))),
    eb.lit(0),
  );
}
