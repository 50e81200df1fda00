import type { Reader, Transaction } from '#database/database.ts';
import { deleteOAuthCredentialsOfUser } from '../oauth/tokens.ts';
import { deleteSessionsOfUser } from '../sessions/sessions.ts';
import { deleteTokensOfUser } from '../tokens/access-tokens.ts';
import { findUserByUsername } from './users.ts';

// Deletion of a user (contract/conventions.md §10 Users): the account is disabled immediately, its row is deleted later.
// Other resources react to `user-deleted`.

/**
 * Disables the account: deletes its sessions, tokens and codes, and blocks the user, also for requests in progress.
 * `findUserById` no longer returns it. Username and addresses stay taken until `deleteUserRow`.
 */
export async function disableAccount(tx: Transaction, id: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({ state: 'blocked', deletion_scheduled_at: tx.now, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
  await deleteSessionsOfUser(tx, id);
  await deleteTokensOfUser(tx, id);
  await deleteOAuthCredentialsOfUser(tx, id);
}

/** Returns whether the user's account is disabled and its deletion still pending. index: users primary key */
export async function isDeletionScheduled(db: Reader, id: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('deletion_scheduled_at').where('id', '=', id).executeTakeFirst();
  return row !== undefined && row.deletion_scheduled_at !== null;
}

/** Deletes the user's row with its addresses and identities. */
export async function deleteUserRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** Returns the id of the ghost user, who becomes the author of deleted users' contributions. */
export async function getGhostUserId(db: Reader): Promise<number> {
  const ghost = await findUserByUsername(db, 'ghost');
  if (ghost === null) throw new Error('The user ghost is missing: the first start creates it');
  return ghost.id;
}
