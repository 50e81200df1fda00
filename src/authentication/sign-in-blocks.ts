import { type Clock, timestamp } from '#runtime/clock.ts';
import type { UserState } from './caller.ts';

/** Why somebody who has shown who he is is not let in: contract/conventions.md §7 "Refusals". */
export type Bar = 'impersonation_off' | StateBar | 'password_expired';
type StateBar = 'blocked' | 'deactivated' | 'pending';

const BARRED_STATES: Readonly<Record<UserState, StateBar | null>> = {
  active: null,
  blocked: 'blocked',
  banned: 'blocked',
  ldap_blocked: 'blocked',
  deactivated: 'deactivated',
  blocked_pending_approval: 'pending',
};

/** What the state of the account says, however its user is known. */
export function stateBar({ state }: { readonly state: UserState }): StateBar | null {
  return BARRED_STATES[state];
}

/** What keeps a user out who comes himself: the state of the account, or a password that somebody else has set. */
export function userBar(
  user: { readonly state: UserState; readonly password_expires_at: string | null },
  clock: Clock,
): StateBar | 'password_expired' | null {
  const barred = BARRED_STATES[user.state];
  if (barred !== null) return barred;
  const expires = user.password_expires_at;
  return expires !== null && expires <= timestamp(clock) ? 'password_expired' : null;
}
