import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#runtime/clock.ts';
import { testDatabase, testPlace } from '#test/engines/engine.ts';
import { openDatabase } from './database.ts';
import { ddl, runStatements } from './ddl.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

const names = migrations.map(({ name }) => name);

test('runs every migration once on a new database', async () => {
  await using database = await testDatabase({ empty: true });
  assert.deepEqual(await migrate(database), names);
  assert.deepEqual(await migrate(database), []);
});

test('migrations have unique increasing numbers', () => {
  for (const name of names) assert.match(name, /^\d{4}_[a-z0-9_]+$/);
  const numbers = names.map((name) => Number(name.slice(0, 4)));
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
});

test('concurrent starts of two processes migrate once', async () => {
  await using place = await testPlace('empty');
  const open = () => openDatabase({ ...place, clock: systemClock });
  const [one, two] = [await open(), await open()];
  const ran = await Promise.all([migrate(one), migrate(two)]);
  assert.deepEqual(ran.flat(), names);
  await Promise.all([one.close(), two.close()]);
});

const createHalf = ddl`
create table half (
  id id
);
`;

test('logs each migration with its duration', async () => {
  await using database = await testDatabase({ empty: true });
  const lines: object[] = [];
  const one: Migration = { name: '0001_one', up: async () => {} };
  await migrate(database, [one], (fields, message) => lines.push({ ...fields, message }));
  const [{ milliseconds, ...line }] = lines as [{ milliseconds: number }];
  assert.deepEqual(
    [lines.length, line],
    [1, { migration: '0001_one', message: 'A migration of the database was run' }],
  );
  assert.ok(Number.isInteger(milliseconds) && milliseconds >= 0);
});

test('rolls back a failed migration', async () => {
  await using database = await testDatabase({ empty: true });
  const broken: Migration = {
    name: '0001_broken',
    async up(db) {
      await runStatements(db, createHalf);
      throw new Error('no');
    },
  };
  await assert.rejects(migrate(database, [broken]), { message: 'no' });
  const mended: Migration = {
    name: '0001_mended',
    up: (db) => runStatements(db, createHalf),
  };
  assert.deepEqual(await migrate(database, [mended]), ['0001_mended']);
});

test('rejects a database of a newer version', async () => {
  await using database = await testDatabase();
  await assert.rejects(migrate(database, []), {
    name: 'DatabaseTooNew',
    message: /created by a newer version of Hearth: it has 0001_baseline/,
  });
});
