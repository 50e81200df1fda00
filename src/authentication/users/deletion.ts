import type { Reader, Transaction } from '#database/database.ts';
import { deleteOAuthOf } from '../oauth/tokens.ts';
import { endSessionsOf } from '../sessions/sessions.ts';
import { deleteTokensOf } from '../tokens/access-tokens.ts';
import { findUser } from './users.ts';

// The end of a user (contract/conventions.md §10 Users): first nobody can be it any more, later its row goes. What is kept
// about the user elsewhere is the part of the rooms above.

/**
 * Makes the account unusable: its sessions, tokens and codes are gone, what is on its way meets a blocked user, and
 * `readUser` finds nobody to do anything with. Name and addresses stay taken until `deleteUserRow`.
 */
export async function endAccount(tx: Transaction, id: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({ state: 'blocked', deletion_scheduled_at: tx.now, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
  await endSessionsOf(tx, id);
  await deleteTokensOf(tx, id);
  await deleteOAuthOf(tx, id);
}

/** Is this a user whose account has ended, and who is still to be removed? index: users primary key */
export async function isEnded(db: Reader, id: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('deletion_scheduled_at').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.deletion_scheduled_at !== null;
}

/** Removes the user, with addresses, identities and whatever else refers to the row as its own. */
export async function deleteUserRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** The internal user who takes over what deleted users have contributed. */
export async function ghostId(db: Reader): Promise<number> {
  const ghost = await findUser(db, 'ghost');
  if (ghost === null) throw new Error('There is no user ghost: the first start makes it');
  return ghost.id;
}
