import type { Database, Transaction } from '#database/database.ts';

/**
 * Deletes by batches until one comes back short, each in a short transaction of its own: nobody waits for a sweep.
 * `deleteSome` deletes so many rows at most, and tells how many it were. Read committed will do for rows that stay dead;
 * of those that can come to life again, the DELETE itself asks, for the query below it is not asked anew.
 */
export async function sweepInBatches(
  database: Database,
  batch: number,
  deleteSome: (tx: Transaction, most: number) => Promise<number>,
): Promise<void> {
  const sweep = () => database.transaction((tx) => deleteSome(tx, batch), { isolation: 'read committed' });
  while ((await sweep()) === batch);
}
