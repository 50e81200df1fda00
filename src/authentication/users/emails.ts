import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Schema } from '#database/schema.ts';

// Email addresses of users. The primary address has a row too, and is taken before it is confirmed.

export type Email = Pick<Selectable<Schema['emails']>, 'id' | 'user_id' | 'email' | 'confirmed_at'>;

export const emailColumns = ['emails.id', 'emails.user_id', 'emails.email', 'emails.confirmed_at'] as const;

/** Returns the form in which an address is stored and compared (contract/activity.md Part 4). */
export function normalizeAddress(text: string): string {
  return text.trim().toLowerCase();
}

const ADDRESS_PATTERN = /^[^\s@<>"(),:;[\\\]]+@[^\s@<>"(),:;[\\\]]+$/;
const MAX_LENGTH = 255;

/** Returns whether the text has the format of an email address. */
export function isValidAddress(text: string): boolean {
  return ADDRESS_PATTERN.test(text) && !hasEncodedWord(text);
}

/**
 * Rejects encoded words (RFC 2047, `=?utf-8?q?…?=`): a mail program may send to another address than the one that was
 * checked.
 */
function hasEncodedWord(text: string): boolean {
  const encodedStart = text.indexOf('=?');
  return encodedStart !== -1 && text.includes('?=', encodedStart + 2);
}

/** Returns error texts for an address of a user; empty if it is valid. */
export function validateAddress(address: string): string[] {
  if (address.trim() === '') return ["can't be blank"];
  return isValidAddress(address) && address.length <= MAX_LENGTH ? [] : ['is invalid'];
}

/** Returns whether this is a primary or confirmed address of a user other than `exceptUserId`. */
export async function isEmailTaken(db: Reader, address: string, exceptUserId = 0): Promise<boolean> {
  // index: emails_by_taken_key
  const owner = await db
    .selectFrom('emails')
    .select('user_id')
    .where('taken_key', '=', foldCase(address))
    .executeTakeFirst();
  return owner !== undefined && owner.user_id !== exceptUserId;
}

/** Returns whether this is a confirmed address of the user. */
export async function isConfirmedAddress(db: Reader, userId: number, address: string): Promise<boolean> {
  // index: emails_by_user_address
  const row = await db
    .selectFrom('emails')
    .select('confirmed_at')
    .where('user_id', '=', userId)
    .where('address_key', '=', foldCase(address))
    .executeTakeFirst();
  return row !== undefined && row.confirmed_at !== null;
}

/** Returns the id of the user with this confirmed address, or null. index: emails_by_taken_key */
export async function findUserIdByConfirmedAddress(db: Reader, address: string): Promise<number | null> {
  const row = await db
    .selectFrom('emails')
    .select('user_id')
    .where('taken_key', '=', foldCase(address))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

interface CreateEmailInput {
  readonly userId: number;
  readonly address: string;
  readonly confirmed: boolean;
  readonly primary: boolean;
}

/**
 * Adds an address to a user. Throws the unique violation of `emails_by_taken_key` if it is in use, of
 * `emails_by_user_address` if this user has it. An unconfirmed secondary address does not block other users.
 */
export async function insertUserEmail(
  tx: Transaction,
  { userId, address, confirmed, primary }: CreateEmailInput,
): Promise<Email> {
  const key = foldCase(address);
  return tx
    .insertInto('emails')
    .values({
      user_id: userId,
      email: address,
      address_key: key,
      taken_key: primary || confirmed ? key : null,
      confirmed_at: confirmed ? tx.now : null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(emailColumns)
    .executeTakeFirstOrThrow();
}

/** User columns that refer to a secondary address; null means the primary address, or none. */
const ADDRESS_COLUMNS = ['notification_email', 'public_email', 'commit_email'] as const;

/** Removes an address from a user, also from the columns that refer to it. */
export async function removeEmailFromUser(
  tx: Transaction,
  user: Pick<Selectable<Schema['users']>, 'id' | (typeof ADDRESS_COLUMNS)[number]>,
  address: string,
): Promise<void> {
  await deleteEmailRow(tx, user.id, address);
  const addressColumns = ADDRESS_COLUMNS.filter((column) => foldCase(user[column] ?? '') === foldCase(address));
  if (addressColumns.length === 0) return;
  await tx
    .updateTable('users')
    .set({ ...Object.fromEntries(addressColumns.map((column) => [column, null])), updated_at: tx.now })
    .where('id', '=', user.id)
    .execute();
}

/** Deletes the row of an address of a user, if there is one, and the link that confirms it. */
export async function deleteEmailRow(tx: Transaction, userId: number, address: string): Promise<void> {
  await deleteEmailConfirmation(tx, userId, address);
  // index: emails_by_user_address
  await tx.deleteFrom('emails').where('user_id', '=', userId).where('address_key', '=', foldCase(address)).execute();
}

/** Ends the link that confirms an address. index: email_confirmations_by_user_address */
export async function deleteEmailConfirmation(tx: Transaction, userId: number, address: string): Promise<void> {
  await tx
    .deleteFrom('email_confirmations')
    .where('user_id', '=', userId)
    .where('address_key', '=', foldCase(address))
    .execute();
}

/**
 * Confirms an address that the user has, primary or not. Returns whether it was there and not confirmed. Throws the unique violation of
 * `emails_by_taken_key` if another user has confirmed it meanwhile. index: emails_by_user_address
 */
export async function confirmEmailRow(tx: Transaction, userId: number, address: string): Promise<boolean> {
  const key = foldCase(address);
  const result = await tx
    .updateTable('emails')
    .set({ confirmed_at: tx.now, taken_key: key, updated_at: tx.now })
    .where('user_id', '=', userId)
    .where('address_key', '=', key)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
