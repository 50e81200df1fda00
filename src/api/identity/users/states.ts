import type { SignedInCaller, UserState } from '#authentication/caller.ts';
import { isOnlyAdministrator } from '#authentication/users/administrators.ts';
import { changeableUser, type Unchangeable, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { DAY_MS, momentAfter } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordUser } from './activity.ts';

// The states of a user and the ways between them (contract/conventions.md "States").

type Changed<Own extends string> = Promise<boolean | Failure<Unchangeable | Own>>;

/** Users whose access has been taken from them: others see little of them. */
export const SHUT_OUT: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned'];

const WITHOUT_ACCESS: readonly UserState[] = [...SHUT_OUT, 'blocked_pending_approval'];

/** Ends a user's access until somebody gives it back. Null when it was blocked already: clients are told so. */
export async function block(
  uow: UnitOfWork<SignedInCaller>,
  id: number,
): Promise<true | null | Failure<Unchangeable | 'ownAccount' | 'onlyAdministrator'>> {
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.id === uow.actor.user.id) return fail('ownAccount');
  if (user.state === 'blocked') return null;
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  await setState(uow, user, 'blocked');
  await recordUser(uow, user, { name: 'user_blocked', called: user.username, message: 'Blocked user' });
  return true;
}

/** False when there was nothing to do. */
export async function unblock(uow: UnitOfWork, id: number): Changed<'deactivated'> {
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.state === 'deactivated') return fail('deactivated');
  if (user.state !== 'blocked') return false;
  await setState(uow, user, 'active');
  await recordUser(uow, user, { name: 'user_unblocked', called: user.username, message: 'Unblocked user' });
  return true;
}

/** Puts a user to sleep who has done nothing for long; a sign-in wakes it. */
export async function deactivate(
  uow: UnitOfWork,
  id: number,
): Changed<'blocked' | 'recentlyActive' | 'onlyAdministrator'> {
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  if (WITHOUT_ACCESS.includes(user.state)) return fail('blocked');
  if (user.state === 'deactivated') return true;
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  const { deactivate_dormant_users_period: days } = await readSettings(uow);
  if (wasActiveAfter(user, momentAfter(uow.now, -days * DAY_MS))) return fail('recentlyActive', { days });
  await setState(uow, user, 'deactivated');
  return true;
}

/** Never of a user who was never there. A date sorts before the moments of its day. */
function wasActiveAfter({ last_activity_on, current_sign_in_at }: User, moment: string): boolean {
  return [last_activity_on, current_sign_in_at].some((last) => last !== null && last > moment);
}

export async function activate(uow: UnitOfWork, id: number): Changed<'blocked'> {
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  if (WITHOUT_ACCESS.includes(user.state)) return fail('blocked');
  if (user.state !== 'active') await setState(uow, user, 'active');
  return true;
}

export async function ban(uow: UnitOfWork, id: number): Changed<'wrongState' | 'onlyAdministrator'> {
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.state !== 'active') return fail('wrongState', { state: user.state });
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  await setState(uow, user, 'banned');
  return true;
}

export async function unban(uow: UnitOfWork, id: number): Changed<'wrongState'> {
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.state !== 'banned') return fail('wrongState', { state: user.state });
  await setState(uow, user, 'active');
  return true;
}

async function setState(uow: UnitOfWork, { id }: User, state: UserState): Promise<void> {
  await uow.updateTable('users').set({ state, updated_at: uow.now }).where('id', '=', id).execute();
}
