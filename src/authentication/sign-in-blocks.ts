import { type Clock, timestamp } from '#runtime/clock.ts';
import type { UserState } from './caller.ts';

/** Why an identified user is rejected: contract/conventions.md §7 "Refusals". */
export type SignInBlock = 'impersonation_off' | StateBlock | 'password_expired';
type StateBlock = 'blocked' | 'deactivated' | 'pending';

const BLOCK_BY_STATE: Readonly<Record<UserState, StateBlock | null>> = {
  active: null,
  blocked: 'blocked',
  banned: 'blocked',
  ldap_blocked: 'blocked',
  deactivated: 'deactivated',
  blocked_pending_approval: 'pending',
};

/** Returns the block that follows from the state of the account; null if it may sign in. */
export function getStateBlock({ state }: { readonly state: UserState }): StateBlock | null {
  return BLOCK_BY_STATE[state];
}

/** Returns why a user cannot sign in: the state of the account, or an expired password that someone else has set; or null. */
export function getSignInBlock(
  user: { readonly state: UserState; readonly password_expires_at: string | null },
  clock: Clock,
): StateBlock | 'password_expired' | null {
  const stateBlock = BLOCK_BY_STATE[user.state];
  if (stateBlock !== null) return stateBlock;
  const expiresAt = user.password_expires_at;
  return expiresAt !== null && expiresAt <= timestamp(clock) ? 'password_expired' : null;
}
