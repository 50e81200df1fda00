import type { Database, Transaction } from '../database/database.ts';

/**
 * Deletes by batches until one comes back short, each in a short transaction of its own: nobody waits for a sweep.
 * `deleteSome` deletes so many rows at most, and tells how many it were. What is swept is dead and stays so: read
 * committed will do.
 */
export async function sweepInBatches(
  database: Database,
  batch: number,
  deleteSome: (tx: Transaction, most: number) => Promise<number>,
): Promise<void> {
  const sweep = () => database.transaction((tx) => deleteSome(tx, batch), { isolation: 'read committed' });
  while ((await sweep()) === batch);
}
