import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '#database/database.ts';
import { ddl, runStatements } from '#database/ddl.ts';
import { systemClock } from '#runtime/clock.ts';
import { startServer } from '#server.ts';
import { createEmptyPlace, loadConfigOf, silentProgress } from './archives.testing.ts';
import { withServer } from './server-data.ts';

/** Creates a place whose database was created by a version with these migrations. */
async function createPlaceWithMigrations(...names: string[]) {
  const place = await createEmptyPlace();
  const database = await openDatabase({ ...place, clock: systemClock });
  await database.transaction(async (tx) => {
    await runStatements(
      tx,
      ddl`
        create table schema_migrations (
          name text primary key,
          applied_at text not null
        );
        create table users (
          id id
        );
      `,
    );
    for (const name of names) await sql`insert into schema_migrations values (${name}, ${tx.now})`.execute(tx);
  });
  await database.close();
  return place;
}

const MISMATCHES = [
  {
    names: ['0001_background', '0002_blobs'],
    message:
      'The database was created by a version of Hearth before 1.0.0, and there is no upgrade from it. Use an empty data directory and an empty database.',
    errorName: 'DatabaseTooOld',
  },
  {
    names: ['0001_baseline', '9999_tomorrow'],
    message:
      'The database was created by a newer version of Hearth: it has 9999_tomorrow. Use that version or a later one.',
    errorName: 'DatabaseTooNew',
  },
];

for (const { names, message, errorName } of MISMATCHES) {
  test(`server, backup and doctor reject a database with the migrations ${names}`, async () => {
    await using place = await createPlaceWithMigrations(...names);
    const config = loadConfigOf(place);
    await assert.rejects(startServer(config), { name: errorName, message });
    const rejection = { name: 'CommandFailed', message, exitCode: 1 };
    await assert.rejects(
      withServer(config, silentProgress, async () => {}),
      rejection,
    );
  });
}
