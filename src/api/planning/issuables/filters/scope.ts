import type { Caller } from '#authentication/caller.ts';
import { type AccessCall, open } from '#http/access/access.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { oneOf } from '#http/parameters/types.ts';

/** Lists that are about no one project or group: of one's own things, those assigned to one, or all that one may read. */

export const scopeType = oneOf('created_by_me', 'assigned_to_me', 'all');

/** Somebody has to be `me`: of all things even nobody may ask. */
export const me = () => ({
  ...open().require(({ caller, params }) => {
    if (caller.user === null && params.scope !== 'all') throw unauthorized();
  }, 'open (scope=all), user'),
  // Who is told to sign in learns nothing of other parameters.
  admit({ caller, request }: AccessCall) {
    if (caller.user === null && new URLSearchParams(request.query).get('scope') !== 'all') throw unauthorized();
  },
});

type Scope = { readonly scope: 'created_by_me' | 'assigned_to_me' | 'all' };

/** By whom the things are, or to whom they are assigned, by the scope. */
export function scoped({ user }: Caller, { scope }: Scope): { readonly byUser?: number; readonly toUser?: number } {
  if (scope === 'all') return {};
  return scope === 'assigned_to_me' ? { toUser: user?.id ?? 0 } : { byUser: user?.id ?? 0 };
}

export const everywhere = (nonArchived: boolean | null) =>
  ({ group: null, nonArchived: nonArchived !== false }) as const;
