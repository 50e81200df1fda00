import type { Database, Transaction } from '../../../database/database.ts';
import { recordAudit } from '../../../history/index.ts';
import type { SignedIn, UserState } from '../../../identity/caller.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';

// The states of a user and the ways between them (contract/conventions.md "States").

type StateRefusal<Own extends string> = Promise<boolean | Refused<'notFound' | 'internalUser' | Own>>;

const SHUT_OUT: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned', 'blocked_pending_approval'];

/** Ends a user's access until somebody gives it back. Null when it was blocked already. */
export function block(database: Database, id: number, caller: SignedIn) {
  return onUser(database, id, async (tx, user) => {
    if (user.id === caller.user.id) return refused('ownAccount');
    if (user.state === 'blocked') return null;
    await setState(tx, user, 'blocked');
    await recordState(tx, caller, user, 'user_blocked', 'Blocked user');
    return true;
  });
}

/** False when there was nothing to do. */
export function unblock(database: Database, id: number, caller: SignedIn): StateRefusal<'deactivated'> {
  return onUser(database, id, async (tx, user) => {
    if (user.state === 'deactivated') return refused('deactivated');
    if (user.state !== 'blocked') return false;
    await setState(tx, user, 'active');
    await recordState(tx, caller, user, 'user_unblocked', 'Unblocked user');
    return true;
  });
}

/** Puts a user to sleep who has done nothing for long; a sign-in wakes it. */
export async function deactivate(database: Database, id: number): StateRefusal<'blocked' | 'recentlyActive'> {
  const { deactivate_dormant_users_period: days } = await readSettings(database.reader);
  return onUser(database, id, async (tx, user) => {
    if (SHUT_OUT.includes(user.state)) return refused('blocked');
    if (user.state === 'deactivated') return true;
    if (lastActive(user) > Date.parse(tx.now) - days * 86_400_000) return refused('recentlyActive', { days });
    await setState(tx, user, 'deactivated');
    return true;
  });
}

/** 0 for a user who was never there. */
function lastActive({ last_activity_on, current_sign_in_at }: User): number {
  return Math.max(0, ...[last_activity_on, current_sign_in_at].map((moment) => (moment ? Date.parse(moment) : 0)));
}

export function activate(database: Database, id: number): StateRefusal<'blocked'> {
  return onUser(database, id, async (tx, user) => {
    if (SHUT_OUT.includes(user.state)) return refused('blocked');
    if (user.state !== 'active') await setState(tx, user, 'active');
    return true;
  });
}

export function ban(database: Database, id: number): StateRefusal<'wrongState'> {
  return move(database, id, { from: 'active', to: 'banned' });
}

export function unban(database: Database, id: number): StateRefusal<'wrongState'> {
  return move(database, id, { from: 'banned', to: 'active' });
}

function move(database: Database, id: number, { from, to }: { from: UserState; to: UserState }) {
  return onUser(database, id, async (tx, user) => {
    if (user.state !== from) return refused('wrongState', { state: user.state });
    await setState(tx, user, to);
    return true;
  });
}

function onUser<T>(database: Database, id: number, work: (tx: Transaction, user: User) => Promise<T>) {
  return database.transaction(async (tx) => {
    const user = await readUser(tx, id);
    if (user === null) return refused('notFound');
    if (user.internal) return refused('internalUser');
    return work(tx, user);
  });
}

async function setState(tx: Transaction, { id }: User, state: UserState): Promise<void> {
  await tx.updateTable('users').set({ state, updated_at: tx.now }).where('id', '=', id).execute();
}

function recordState(
  tx: Transaction,
  caller: SignedIn,
  { id, username }: User,
  name: 'user_blocked' | 'user_unblocked',
  message: string,
): Promise<void> {
  const entity = { type: 'User', id, path: username } as const;
  return recordAudit(tx, caller, { name, entity, target: { type: 'User', id, details: username }, message });
}
