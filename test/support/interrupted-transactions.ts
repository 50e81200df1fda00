import assert from 'node:assert/strict';
import type { World } from './world.ts';

/**
 * Runs this in place of the next transaction, whichever server begins it: what others do just before one, just after it,
 * or while a request stands between two. It is given the transaction, to run when it likes, and returns what that does.
 */
export function atNextTransaction(
  { servers }: World,
  instead: (run: () => Promise<unknown>) => Promise<unknown>,
): void {
  const databases = servers.map(({ services }) => services.database);
  const own = databases.map(({ transaction }) => transaction);
  databases.forEach((database, index) => {
    database.transaction = async (...given) => {
      databases.forEach((each, other) => {
        each.transaction = own[other]!;
      });
      return (await instead(() => own[index]!(...given))) as never;
    };
  });
}

/** Does the work of this kind as if its process had ended in each of its attempts; what is left of it is removed. */
export async function endingEachTime({ server, work }: World, kind: string): Promise<void> {
  const { database } = server.services;
  await database.transaction((tx) =>
    tx.updateTable('background_jobs').set({ attempts: 1_000 }).where('kind', '=', kind).execute(),
  );
  await work();
  const dead = await database.transaction((tx) =>
    tx.deleteFrom('background_jobs').where('kind', '=', kind).returning('state').execute(),
  );
  assert.deepEqual(dead, [{ state: 'dead' }]);
}
