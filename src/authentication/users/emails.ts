import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { EmailsTable, UsersTable } from '#database/tables/authentication.ts';

// The addresses of users. The primary one is a row like the others, and taken before it is confirmed.

export type Email = Pick<Selectable<EmailsTable>, 'id' | 'user_id' | 'email' | 'confirmed_at'>;

export const emailColumns = ['emails.id', 'emails.user_id', 'emails.email', 'emails.confirmed_at'] as const;

/** The form in which an address is kept and compared (contract/activity.md Part 4). */
export function keptAddress(text: string): string {
  return text.trim().toLowerCase();
}

const FORM = /^[^\s@<>"(),:;[\\\]]+@[^\s@<>"(),:;[\\\]]+$/;
const LONGEST = 255;

export function hasAddressForm(text: string): boolean {
  return FORM.test(text) && !hasEncodedWord(text);
}

/** `=?utf-8?q?…?=` (RFC 2047): whoever mails to it may mail to another address than the one that was looked at. */
function hasEncodedWord(text: string): boolean {
  const begin = text.indexOf('=?');
  return begin !== -1 && text.includes('?=', begin + 2);
}

/** What is wrong with an address that a user is to have. */
export function addressProblems(address: string): string[] {
  if (address.trim() === '') return ["can't be blank"];
  return hasAddressForm(address) && address.length <= LONGEST ? [] : ['is invalid'];
}

/** A primary or confirmed address of anybody, or of anybody but `except`. */
export async function isEmailTaken(db: Reader, address: string, except = 0): Promise<boolean> {
  // index: emails_by_taken_key
  const holder = await db
    .selectFrom('emails')
    .select('user_id')
    .where('taken_key', '=', foldCase(address))
    .executeTakeFirst();
  return holder !== undefined && holder.user_id !== except;
}

/** Is this an address of the user, confirmed, the primary one or another? */
export async function isConfirmedAddressOf(db: Reader, userId: number, address: string): Promise<boolean> {
  // index: emails_by_user_address
  const row = await db
    .selectFrom('emails')
    .select('confirmed_at')
    .where('user_id', '=', userId)
    .where('address_key', '=', foldCase(address))
    .executeTakeFirst();
  return row !== undefined && row.confirmed_at !== null;
}

/** Whose confirmed address this is; null: nobody's. index: emails_by_taken_key */
export async function holderOf(db: Reader, address: string): Promise<number | null> {
  const row = await db
    .selectFrom('emails')
    .select('user_id')
    .where('taken_key', '=', foldCase(address))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

interface NewEmail {
  readonly userId: number;
  readonly address: string;
  readonly confirmed: boolean;
  readonly primary: boolean;
}

/**
 * Gives a user an address. Fails on `emails_by_taken_key` when it is somebody's already, on `emails_by_user_address` when
 * it is this user's; one that is neither primary nor confirmed is in nobody's way.
 */
export async function insertEmail(tx: Transaction, { userId, address, confirmed, primary }: NewEmail): Promise<Email> {
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

/** What of a user names one of its addresses besides the primary one; null means the primary one, or none. */
const USES = ['notification_email', 'public_email', 'commit_email'] as const;

/** Takes an address from a user, also from wherever the user has it in use. */
export async function forgetEmail(
  tx: Transaction,
  user: Pick<Selectable<UsersTable>, 'id' | (typeof USES)[number]>,
  address: string,
): Promise<void> {
  await deleteEmailRow(tx, user.id, address);
  const used = USES.filter((use) => foldCase(user[use] ?? '') === foldCase(address));
  if (used.length === 0) return;
  await tx
    .updateTable('users')
    .set({ ...Object.fromEntries(used.map((use) => [use, null])), updated_at: tx.now })
    .where('id', '=', user.id)
    .execute();
}

/** Removes the row of an address, if the user has it. */
export async function deleteEmailRow(tx: Transaction, userId: number, address: string): Promise<void> {
  // index: emails_by_user_address
  await tx.deleteFrom('emails').where('user_id', '=', userId).where('address_key', '=', foldCase(address)).execute();
}
