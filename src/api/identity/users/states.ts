import { DAY_MS, momentAfter } from '../../../clock.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn, UserState } from '../../../identity/caller.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';

// The states of a user and the ways between them (contract/conventions.md "States").

export type Unchangeable = 'notFound' | 'internalUser';

type Changed<Own extends string> = Promise<boolean | Refused<Unchangeable | Own>>;

/** Users whose access has been taken from them: others see little of them. */
export const SHUT_OUT: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned'];

const WITHOUT_ACCESS: readonly UserState[] = [...SHUT_OUT, 'blocked_pending_approval'];

/** The user with this id, unless it is one of Hearth's own. */
export async function changeableUser(act: Act, id: number): Promise<User | Refused<Unchangeable>> {
  const user = await readUser(act, id);
  if (user === null) return refused('notFound');
  return user.internal ? refused('internalUser') : user;
}

/** Ends a user's access until somebody gives it back. Null when it was blocked already: clients are told so. */
export async function block(
  act: Act<SignedIn>,
  id: number,
): Promise<true | null | Refused<Unchangeable | 'ownAccount'>> {
  const user = await changeableUser(act, id);
  if (isRefused(user)) return user;
  if (user.id === act.by.user.id) return refused('ownAccount');
  if (user.state === 'blocked') return null;
  await setState(act, user, 'blocked');
  await recordState(act, user, { name: 'user_blocked', message: 'Blocked user' });
  return true;
}

/** False when there was nothing to do. */
export async function unblock(act: Act, id: number): Changed<'deactivated'> {
  const user = await changeableUser(act, id);
  if (isRefused(user)) return user;
  if (user.state === 'deactivated') return refused('deactivated');
  if (user.state !== 'blocked') return false;
  await setState(act, user, 'active');
  await recordState(act, user, { name: 'user_unblocked', message: 'Unblocked user' });
  return true;
}

/** Puts a user to sleep who has done nothing for long; a sign-in wakes it. */
export async function deactivate(act: Act, id: number): Changed<'blocked' | 'recentlyActive'> {
  const user = await changeableUser(act, id);
  if (isRefused(user)) return user;
  if (WITHOUT_ACCESS.includes(user.state)) return refused('blocked');
  if (user.state === 'deactivated') return true;
  const { deactivate_dormant_users_period: days } = await readSettings(act);
  if (wasActiveAfter(user, momentAfter(act.now, -days * DAY_MS))) return refused('recentlyActive', { days });
  await setState(act, user, 'deactivated');
  return true;
}

/** Never of a user who was never there. A date sorts before the moments of its day. */
function wasActiveAfter({ last_activity_on, current_sign_in_at }: User, moment: string): boolean {
  return [last_activity_on, current_sign_in_at].some((last) => last !== null && last > moment);
}

export async function activate(act: Act, id: number): Changed<'blocked'> {
  const user = await changeableUser(act, id);
  if (isRefused(user)) return user;
  if (WITHOUT_ACCESS.includes(user.state)) return refused('blocked');
  if (user.state !== 'active') await setState(act, user, 'active');
  return true;
}

export function ban(act: Act, id: number): Changed<'wrongState'> {
  return move(act, id, { from: 'active', to: 'banned' });
}

export function unban(act: Act, id: number): Changed<'wrongState'> {
  return move(act, id, { from: 'banned', to: 'active' });
}

async function move(
  act: Act,
  id: number,
  { from, to }: { readonly from: UserState; readonly to: UserState },
): Changed<'wrongState'> {
  const user = await changeableUser(act, id);
  if (isRefused(user)) return user;
  if (user.state !== from) return refused('wrongState', { state: user.state });
  await setState(act, user, to);
  return true;
}

async function setState(act: Act, { id }: User, state: UserState): Promise<void> {
  await act.updateTable('users').set({ state, updated_at: act.now }).where('id', '=', id).execute();
}

function recordState(
  act: Act,
  { id, username }: User,
  event: { readonly name: 'user_blocked' | 'user_unblocked'; readonly message: string },
): Promise<void> {
  const entity = { type: 'User', id, path: username } as const;
  return act.record({ ...event, entity, target: { type: 'User', id, details: username } });
}
