import type { Caller } from '#authentication/caller.ts';
import { type AccessCall, open } from '#http/access/access.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { oneOf } from '#http/parameters/types.ts';

/** Parameter `scope` of lists across all projects: created by the caller, assigned to the caller, or all that the caller may read. */
export const scopeType = oneOf('created_by_me', 'assigned_to_me', 'all');

/** Requires a signed-in caller unless the scope is `all`. */
export const scopeAccess = () => ({
  ...open().require(({ caller, params }) => {
    if (caller.user === null && params.scope !== 'all') throw unauthorized();
  }, 'open (scope=all), user'),
  // Responds with 401 before parameters are validated.
  authenticate({ caller, request }: AccessCall) {
    if (caller.user === null && new URLSearchParams(request.query).get('scope') !== 'all') throw unauthorized();
  },
});

type Scope = { readonly scope: 'created_by_me' | 'assigned_to_me' | 'all' };

/** Returns the filter by author or assignee for the scope. */
export function toScopeFilter(
  { user }: Caller,
  { scope }: Scope,
): { readonly byUser?: number; readonly toUser?: number } {
  if (scope === 'all') return {};
  return scope === 'assigned_to_me' ? { toUser: user?.id ?? 0 } : { byUser: user?.id ?? 0 };
}

/** Returns the list scope of all projects; archived projects are excluded unless `nonArchived` is false. */
export const toAllProjectsParent = (nonArchived: boolean | null) =>
  ({ group: null, nonArchived: nonArchived !== false }) as const;
