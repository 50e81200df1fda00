import type { UserState } from '#authentication/caller.ts';
import {
  findChangeableUser,
  isOnlyAdministrator,
  type UnchangeableUserCode,
  type User,
} from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordUserEvent } from './changes.ts';

// The states of a user and their transitions (contract/conventions.md "States").

/** The result of a transition: whether it changed the state, or a failure with a general code or one of this transition. */
type StateChange<TransitionCode extends string> = Promise<boolean | Failure<UnchangeableUserCode | TransitionCode>>;

/** States of blocked users, whose profiles are hidden. */
export const BLOCKED_STATES: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned'];

/** States in which a user can neither be activated nor deactivated. */
const STATES_WITHOUT_ACCESS: readonly UserState[] = [...BLOCKED_STATES, 'blocked_pending_approval'];

/** Blocks a user. Returns null if the user was blocked already, which the response shows. */
export async function blockUser(
  uow: UnitOfWork,
  id: number,
): Promise<true | null | Failure<UnchangeableUserCode | 'ownAccount' | 'onlyAdministrator'>> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.id === uow.actor.user?.id) return fail('ownAccount');
  if (user.state === 'blocked') return null;
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  await setState(uow, user, 'blocked');
  await recordUserEvent(uow, user, { name: 'user_blocked', targetDetails: user.username, message: 'Blocked user' });
  return true;
}

/** Unblocks a user. Returns false if the user was not blocked. */
export async function unblockUser(uow: UnitOfWork, id: number): StateChange<'deactivated'> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.state === 'deactivated') return fail('deactivated');
  if (user.state !== 'blocked') return false;
  await setState(uow, user, 'active');
  await recordUserEvent(uow, user, { name: 'user_unblocked', targetDetails: user.username, message: 'Unblocked user' });
  return true;
}

/** Unlocks a user whose account is locked after too many wrong passwords. Returns false if it was not locked. */
export async function unlockUser(uow: UnitOfWork, id: number): StateChange<never> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.locked_until === null && user.failed_attempts === 0) return false;
  await uow.updateTable('users').set({ failed_attempts: 0, locked_until: null }).where('id', '=', user.id).execute();
  if (!isLocked(user, uow.now)) return false;
  const message = 'Unlocked user';
  await recordUserEvent(uow, user, { name: 'user_access_unlocked', targetDetails: user.username, message });
  return true;
}

/** Returns whether the account is locked after too many wrong passwords. */
export function isLocked({ locked_until }: Pick<User, 'locked_until'>, now: string): boolean {
  return locked_until !== null && locked_until > now;
}

/** Deactivates a dormant user. Their next sign-in activates them again. */
export async function deactivateUser(
  uow: UnitOfWork,
  id: number,
): StateChange<'blocked' | 'recentlyActive' | 'onlyAdministrator'> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (STATES_WITHOUT_ACCESS.includes(user.state)) return fail('blocked');
  if (user.state === 'deactivated') return true;
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  const { deactivate_dormant_users_period: days } = await loadSettings(uow);
  if (wasActiveAfter(user, addMilliseconds(uow.now, -days * DAY_MS))) return fail('recentlyActive', { days });
  await setState(uow, user, 'deactivated');
  return true;
}

/** Returns whether the user was active after the timestamp. A date sorts before the timestamps of its day. */
function wasActiveAfter({ last_activity_on, current_sign_in_at }: User, timestamp: string): boolean {
  return [last_activity_on, current_sign_in_at].some((activity) => activity !== null && activity > timestamp);
}

/** Activates a deactivated user. Has no effect on an active user. */
export async function activateUser(uow: UnitOfWork, id: number): StateChange<'blocked'> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (STATES_WITHOUT_ACCESS.includes(user.state)) return fail('blocked');
  if (user.state !== 'active') await setState(uow, user, 'active');
  return true;
}

/** Bans an active user. Fails with `wrongState` in any other state. */
export async function banUser(uow: UnitOfWork, id: number): StateChange<'wrongState' | 'onlyAdministrator'> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.state !== 'active') return fail('wrongState', { state: user.state });
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  await setState(uow, user, 'banned');
  return true;
}

/** Activates a banned user. Fails with `wrongState` in any other state. */
export async function unbanUser(uow: UnitOfWork, id: number): StateChange<'wrongState'> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (user.state !== 'banned') return fail('wrongState', { state: user.state });
  await setState(uow, user, 'active');
  return true;
}

async function setState(uow: UnitOfWork, { id }: User, state: UserState): Promise<void> {
  await uow.updateTable('users').set({ state, updated_at: uow.now }).where('id', '=', id).execute();
}
