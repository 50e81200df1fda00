import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UserState } from '#database/schema.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { generateHexToken, hashToken } from '#security/tokens.ts';
import { confirmEmailRow, deleteEmailConfirmation, isEmailTaken } from './emails.ts';
import { findUserById, setPrimaryEmail, type User } from './users.ts';

// One-time links that confirm an address of a user. An address has at most one; the database has only the digest of its token.

export const EMAIL_CONFIRMATION_LIFETIME_MS = 3 * DAY_MS;

/** Users in other states cannot sign in. */
const ALLOWED_STATES: readonly UserState[] = ['active', 'deactivated'];

/** A user with an address that is not confirmed. */
export interface UnconfirmedAddress extends Columns<'users', 'username'> {
  readonly userId: number;
  readonly address: string;
}

/** Returns this address of the user, secondary, primary or the new primary one; null if it is confirmed or no longer theirs. */
export async function findUnconfirmedAddress(
  db: Reader,
  userId: number,
  address: string,
): Promise<UnconfirmedAddress | null> {
  const user = await findUserById(db, userId);
  if (user === null || user.bot || user.internal || !ALLOWED_STATES.includes(user.state)) return null;
  const key = foldCase(address);
  // index: emails_by_user_address
  const row = await db
    .selectFrom('emails')
    .select('id')
    .where('user_id', '=', userId)
    .where('address_key', '=', key)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined && foldCase(user.unconfirmed_email ?? '') !== key) return null;
  return { userId, username: user.username, address };
}

/** Returns the token of a new link. An earlier link for the same address no longer works. */
export async function createEmailConfirmationToken(
  tx: Transaction,
  { userId, address }: UnconfirmedAddress,
): Promise<string> {
  const token = generateHexToken();
  const link = {
    digest: hashToken(token),
    expires_at: addMilliseconds(tx.now, EMAIL_CONFIRMATION_LIFETIME_MS),
  };
  await tx
    .insertInto('email_confirmations')
    .values({ user_id: userId, address_key: foldCase(address), ...link })
    .onConflict((conflict) => conflict.columns(['user_id', 'address_key']).doUpdateSet(link))
    .execute();
  return token;
}

/** Returns the address that the link with this token confirms; null if it is unknown, used or expired. */
export async function findAddressByConfirmationLink(
  db: Reader,
  token: string,
  now: string,
): Promise<UnconfirmedAddress | null> {
  if (!/^[0-9a-f]{64}$/.test(token)) return null;
  // index: email_confirmations_by_digest
  const link = await db
    .selectFrom('email_confirmations')
    .select(['user_id', 'address_key'])
    .where('digest', '=', hashToken(token))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return link === undefined ? null : findUnconfirmedAddress(db, link.user_id, link.address_key);
}

/**
 * Confirms the address of a link, and makes a new primary address the primary one. Returns the user before and after. Fails with
 * `taken` if another user has confirmed the address meanwhile.
 */
export async function redeemConfirmationLink(
  tx: Transaction,
  token: string,
): Promise<{ readonly before: User; readonly after: User } | Failure<'invalidLink' | 'taken'>> {
  const confirmed = await findAddressByConfirmationLink(tx, token, tx.now);
  const before = confirmed === null ? null : await findUserById(tx, confirmed.userId);
  if (confirmed === null || before === null) return fail('invalidLink');
  const { userId, address } = confirmed;
  await deleteEmailConfirmation(tx, userId, address);
  if (await isEmailTaken(tx, address, userId)) return fail('taken');
  if (foldCase(before.unconfirmed_email ?? '') === foldCase(address)) {
    await setPrimaryEmail(tx, before, before.unconfirmed_email!);
  } else if (foldCase(before.email) === foldCase(address)) {
    await confirmPrimaryAddress(tx, before);
  } else {
    await confirmEmailRow(tx, userId, address);
  }
  return { before, after: (await findUserById(tx, userId))! };
}

/** Confirms the primary address of a user, if it is not confirmed. */
export async function confirmPrimaryAddress(tx: Transaction, { id, email, confirmed_at }: User): Promise<void> {
  if (confirmed_at !== null) return;
  await confirmEmailRow(tx, id, email);
  await tx.updateTable('users').set({ confirmed_at: tx.now, updated_at: tx.now }).where('id', '=', id).execute();
}
