import { addMilliseconds } from '#runtime/clock.ts';
import type { Server } from '#server.ts';

/** Locks an account for ten minutes, as ten wrong passwords do. */
export async function lockAccount({ services }: Server, id: number): Promise<void> {
  await services.database.transaction((tx) =>
    tx
      .updateTable('users')
      .set({ failed_attempts: 10, locked_until: addMilliseconds(tx.now, 600_000) })
      .where('id', '=', id)
      .execute(),
  );
}
