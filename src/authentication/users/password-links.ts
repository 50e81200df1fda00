import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UserState } from '#database/schema.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';
import { generateHexToken, hashToken } from '#security/tokens.ts';
import { findUserById, type User } from './users.ts';

// One-time links that set a password. A user has at most one; the database has only the digest of its token. It ends with
// the next link, after two days, and when the password or the primary address changes.

export const PASSWORD_LINK_LIFETIME_MS = 2 * DAY_MS;

/** Users in other states cannot sign in, with any password. */
const ALLOWED_STATES: readonly UserState[] = ['active', 'deactivated'];

/** The user who gets the link. */
export type PasswordLinkRecipient = Columns<'users', 'id' | 'username' | 'name' | 'email'>;

/**
 * Returns the user with this primary or confirmed address; null if there is none who can sign in with a password.
 * index: emails_by_taken_key, users primary key
 */
export async function findPasswordLinkRecipient(db: Reader, address: string): Promise<PasswordLinkRecipient | null> {
  const recipient = await db
    .selectFrom('emails')
    .innerJoin('users', 'users.id', 'emails.user_id')
    .where('emails.taken_key', '=', foldCase(address))
    .where('users.state', 'in', ALLOWED_STATES)
    .where('users.bot', '=', false)
    .where('users.internal', '=', false)
    .where('users.deletion_scheduled_at', 'is', null)
    .select(['users.id', 'users.username', 'users.name', 'users.email'])
    .executeTakeFirst();
  return recipient ?? null;
}

/** Returns the token of a new link of this user. An earlier link no longer works. */
export async function createPasswordLinkToken(tx: Transaction, userId: number): Promise<string> {
  const token = generateHexToken();
  await tx
    .updateTable('users')
    .set({
      password_link_digest: hashToken(token),
      password_link_expires_at: addMilliseconds(tx.now, PASSWORD_LINK_LIFETIME_MS),
    })
    .where('id', '=', userId)
    .execute();
  return token;
}

/** Returns the user whose password the link with this token sets; null if it is unknown, used or expired. */
export async function findUserByPasswordLink(db: Reader, token: string, now: string): Promise<User | null> {
  if (!/^[0-9a-f]{64}$/.test(token)) return null;
  // index: users_by_password_link
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('password_link_digest', '=', hashToken(token))
    .where('password_link_expires_at', '>', now)
    .where('state', 'in', ALLOWED_STATES)
    .executeTakeFirst();
  return row === undefined ? null : findUserById(db, row.id);
}

/**
 * Ends the link with this token. Returns its user; null if it is unknown, used or expired. If two requests run at the same
 * time, one gets null.
 */
export async function redeemPasswordLink(tx: Transaction, token: string): Promise<User | null> {
  const user = await findUserByPasswordLink(tx, token, tx.now);
  if (user === null) return null;
  const redeemed = await tx
    .updateTable('users')
    .set({ password_link_digest: null, password_link_expires_at: null })
    .where('id', '=', user.id)
    .where('password_link_digest', '=', hashToken(token))
    .returning('id')
    .executeTakeFirst();
  return redeemed === undefined ? null : user;
}
