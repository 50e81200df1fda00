import assert from 'node:assert/strict';
import type { World } from './world.ts';

/**
 * Replaces the next transaction of any of the world's servers by `instead`, to simulate concurrent changes before or after it.
 * `instead` receives `run`, which runs the transaction, and returns its result.
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

/** Runs the jobs of this kind as if their process had died in two attempts; asserts that they are dead and deletes them. */
export async function failEveryAttempt({ server, runJobs }: World, kind: string): Promise<void> {
  const { database } = server.services;
  await database.transaction((tx) =>
    tx.updateTable('background_jobs').set({ process_deaths: 2 }).where('kind', '=', kind).execute(),
  );
  await runJobs();
  const dead = await database.transaction((tx) =>
    tx.deleteFrom('background_jobs').where('kind', '=', kind).returning('state').execute(),
  );
  assert.deepEqual(dead, [{ state: 'dead' }]);
}
