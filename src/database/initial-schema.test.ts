import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '#runtime/clock.ts';
import { engine, type TestPlace, testDatabase, testPlace } from '#test/engines/engine.ts';
import { openDatabase } from './database.ts';
import { ddl, runStatements } from './ddl.ts';
import { createInitialSchema, dumpInitialSchema, loadInitialSchema } from './initial-schema.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

const skip = engine === 'sqlite' ? false : 'PostgreSQL goes through the migrations';
const names = migrations.map(({ name }) => name);

/** Writes the schema that the migrations create to a file. */
async function kept({ dataDir }: TestPlace): Promise<string> {
  await using database = await testDatabase();
  const file = join(dataDir, 'tables.json');
  await writeFile(file, JSON.stringify(await dumpInitialSchema(database.reader, names)));
  return file;
}

test('the initial schema equals the schema that the migrations create', { skip }, async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase({ empty: true });
  const tables = await loadInitialSchema(database.reader, names, await kept(place));
  assert.ok(tables);
  await database.transaction((tx) => createInitialSchema(tx, tables));
  assert.deepEqual(await dumpInitialSchema(database.reader, names), tables);
});

test('`migrate` creates the initial schema and records all migrations', { skip }, async () => {
  await using place = await testPlace('empty');
  const file = await kept(place);
  const database = await openDatabase({ ...place, clock: systemClock });
  assert.deepEqual(await migrate(database, migrations, file), names);
  assert.deepEqual(await migrate(database), []);
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(
    database.reader,
  );
  assert.deepEqual(
    rows,
    names.map((name) => ({ name })),
  );
  await database.close();
});

test('runs only the missing migrations on an older database', { skip }, async () => {
  await using place = await testPlace('empty');
  const database = await openDatabase({ ...place, clock: systemClock });
  await migrate(database, migrations);
  const next: Migration = { name: '9999_next', up: (tx) => runStatements(tx, ddl`create table next (id id);`) };
  assert.deepEqual(await migrate(database, [...migrations, next], await kept(place)), ['9999_next']);
  await database.close();
});

test('ignores an initial schema that is unreadable or belongs to other migrations', { skip }, async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase({ empty: true });
  const file = await kept(place);
  assert.equal(await loadInitialSchema(database.reader, names.slice(1), file), null);
  for (const broken of ['', '{}', 'null', '{"migrations":']) {
    await writeFile(file, broken);
    assert.equal(await loadInitialSchema(database.reader, names, file), null);
  }
});
