import type { Database, Transaction } from '#database/database.ts';

/**
 * Deletes rows in batches until a batch is not full. Each batch is a short transaction, so that no request waits for a cleanup.
 * The callback deletes a batch and returns the number of deleted rows. Transactions are read committed: if rows can become
 * needed again, the DELETE itself must contain the condition, because a subquery is not evaluated again.
 */
export async function deleteInBatches(
  database: Database,
  batchSize: number,
  deleteBatch: (tx: Transaction, limit: number) => Promise<number>,
): Promise<void> {
  const runBatch = () => database.transaction((tx) => deleteBatch(tx, batchSize), { isolation: 'read committed' });
  while ((await runBatch()) === batchSize);
}
