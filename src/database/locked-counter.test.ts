import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import type { Database, Transaction } from './database.ts';
import { lockSchema } from './dialect.ts';

/** Adds a secondary, so that changes of LFS objects are recorded. */
async function follow(database: Database): Promise<void> {
  await database.transaction((tx) =>
    tx
      .insertInto('geo_sites')
      .values({
        name: 'a',
        name_key: 'a',
        url: 'https://a.test/',
        internal_url: null,
        is_primary: false,
        enabled: true,
        files_max_capacity: 1,
        repos_max_capacity: 1,
        verification_max_capacity: 1,
        container_repositories_max_capacity: 1,
        minimum_reverification_interval: 1,
        sync_object_storage: false,
        selective_sync_type: null,
        selective_sync_shards: '[]',
        access_key_digest: null,
        secret_access_key: null,
        oauth_application_id: null,
        created_at: tx.now,
        updated_at: tx.now,
      })
      .execute(),
  );
}

async function addObject(tx: Transaction, at: number): Promise<void> {
  const oid = String(at).padStart(64, '0');
  await tx.insertInto('blobs').values({ sha256: oid, size: 1, linked_at: tx.now }).execute();
  await tx.insertInto('lfs_objects').values({ oid, size: 1, created_at: tx.now }).execute();
  // Other transactions run while its row is already inserted.
  for (let i = 0; i < at % 7; i++) await tx.selectFrom('lfs_objects').select('id').limit(1).execute();
}

const behind = (database: Database, id: number) =>
  database.reader.selectFrom('geo_events').select('id').where('id', '>', id).orderBy('id').execute();

test('a reader that polls by the greatest number misses no concurrent writes', async () => {
  await using database = await testDatabase();
  await follow(database);
  const heard: number[] = [];
  const hear = async () => heard.push(...(await behind(database, heard.at(-1) ?? 0)).map(({ id }) => id));
  let writing = true;
  const written = Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      database.transaction((tx) => addObject(tx, at), { isolation: 'read committed' }),
    ),
  ).finally(() => {
    writing = false;
  });
  while (writing) {
    await hear();
    await turnOfOthers();
  }
  await written;
  await hear();
  const all = (await behind(database, 0)).map(({ id }) => id);
  assert.equal(all.length, 60);
  assert.deepEqual(heard, all);
});

test('records no rolled-back writes, and records cascading changes', async () => {
  await using database = await testDatabase();
  await follow(database);
  await assert.rejects(
    database.transaction(async (tx) => {
      await addObject(tx, 1);
      throw new Error('no');
    }),
  );
  assert.deepEqual(await behind(database, 0), []);
  await database.transaction((tx) => addObject(tx, 2));
  await database.transaction((tx) => tx.deleteFrom('lfs_objects').execute());
  const rows = await database.reader.selectFrom('geo_events').select('event_name').orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ event_name }) => event_name),
    ['created', 'deleted'],
  );
});

test('a migration can alter a table after writing its rows', async () => {
  await using database = await testDatabase();
  await follow(database);
  await database.transaction(async (tx) => {
    await lockSchema(tx);
    await addObject(tx, 3);
    await sql`alter table lfs_objects add column more text`.execute(tx);
  });
  assert.equal((await behind(database, 0)).length, 1);
});
