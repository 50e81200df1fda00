import type { Database, Transaction } from '#database/database.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import type { User } from '../users/users.ts';
import { checkPassword } from './password-sign-in.ts';
import { createSession, createSessionSecret, deleteSession } from './sessions.ts';

interface WebSignInInput {
  readonly login: string;
  readonly password: string;
  readonly session: { readonly digest: string };
  readonly address: string;
  readonly waiter: Waiter;
}

/**
 * Signs a user in on the web. Replaces the session of the form by a new one, whose secret nobody can know in advance. A
 * deactivated user becomes active (contract/conventions.md §7).
 */
export async function signInWithPassword(
  services: { readonly database: Database },
  { login, password, session, address, waiter }: WebSignInInput,
): Promise<{ readonly secret: string } | Failure<'passwordSignInDisabled' | 'invalid'>> {
  const { database } = services;
  const settings = await loadSettings(database.reader);
  if (!settings.password_authentication_enabled_for_web) return fail('passwordSignInDisabled');
  const passwordCheck = await checkPassword(services, { login, password }, waiter);
  if (isFailure(passwordCheck)) return passwordCheck;
  const secret = createSessionSecret();
  return database.transaction(async (tx) => {
    if (!(await recordSignIn(tx, passwordCheck.user, address))) return fail('invalid');
    await deleteSession(tx, session.digest);
    await createSession(tx, { secret, userId: passwordCheck.user.id });
    return { secret };
  });
}

/** Records the sign-in and reactivates a deactivated user. Returns false if the user was blocked since the password check. */
async function recordSignIn(tx: Transaction, { id }: User, address: string): Promise<boolean> {
  const recordedUser = await tx
    .updateTable('users')
    .set((eb) => ({
      sign_in_count: eb('sign_in_count', '+', 1),
      last_sign_in_at: eb.fn.coalesce('current_sign_in_at', eb.val(tx.now)),
      last_sign_in_ip: eb.fn.coalesce('current_sign_in_ip', eb.val(address)),
      current_sign_in_at: tx.now,
      current_sign_in_ip: address,
      last_activity_on: tx.today,
    }))
    .where('id', '=', id)
    .where('state', 'in', ['active', 'deactivated'])
    .returning('id')
    .executeTakeFirst();
  if (recordedUser === undefined) return false;
  await tx
    .updateTable('users')
    .set({ state: 'active', updated_at: tx.now })
    .where('id', '=', id)
    .where('state', '=', 'deactivated')
    .execute();
  return true;
}
