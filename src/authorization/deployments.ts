import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Schema } from '#database/database.ts';
import { ANY_ROLE, REPORTER } from '#domain/members/roles.ts';
import { projectWithRole } from './visibility-conditions.ts';

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
