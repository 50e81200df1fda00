import type { Transaction } from '#database/database.ts';
import type { StoredBlob } from './store.ts';

/**
 * Creates the row of a stored or claimed blob, or renews its `linked_at`. Call it in the transaction that inserts the referring
 * row, before that row: its `sha256` column is a foreign key to `blobs.sha256`.
 */
export async function registerBlob(tx: Transaction, { sha256, size }: StoredBlob): Promise<void> {
  await tx
    .insertInto('blobs')
    .values({ sha256, size, linked_at: tx.now })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ linked_at: tx.now }))
    .execute();
}
