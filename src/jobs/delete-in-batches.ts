import type { Database, Transaction } from '#database/database.ts';

/**
 * Deletes rows in batches, each in a short transaction, until a batch is not full, so that no request waits for a cleanup.
 * The callback deletes a batch and returns the number of deleted rows. Transactions are read committed: if rows can become
 * needed again, the DELETE itself must contain the condition, because a subquery is not evaluated again.
 */
export async function deleteInBatches(
  database: Database,
  batch: number,
  deleteBatch: (tx: Transaction, limit: number) => Promise<number>,
): Promise<void> {
  const sweep = () => database.transaction((tx) => deleteBatch(tx, batch), { isolation: 'read committed' });
  while ((await sweep()) === batch);
}
