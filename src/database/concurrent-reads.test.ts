import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import type { Database } from './database.ts';
import { type Params, prepare } from './prepare.ts';

// Reads that begin in the same turn of the event loop share a connection of PostgreSQL.

const counterByName = prepare((db, value: Params<{ name: string }>) =>
  db.selectFrom('counters').select(['name', 'value']).where('name', '=', value('name')),
);

/** Fails for a name that is not a JSON, after it was prepared. */
const brokenByName = prepare((db, value: Params<{ name: string }>) =>
  db
    .selectFrom('counters')
    .select(sql<number>`case when name = 'c0' then cast(json(${value('name')}) as text) end`.as('parsed')),
);

const names = Array.from({ length: 40 }, (_, index) => `c${index}`);

async function createCounters(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx
      .insertInto('counters')
      .values(names.map((name, value) => ({ name, value })))
      .execute();
  });
}

test('concurrent reads get their own rows at the same time', async () => {
  await using database = await testDatabase();
  await createCounters(database);
  for (const _again of [1, 2]) {
    const rows = await Promise.all(names.map((name) => counterByName(database.reader, { name })));
    assert.deepEqual(
      rows,
      names.map((name, value) => [{ name, value }]),
    );
  }
});

test('a read that fails at the same time as others fails alone', async () => {
  await using database = await testDatabase();
  await createCounters(database);
  for (const _again of [1, 2]) {
    const [first, broken, unknown, last] = await Promise.allSettled([
      counterByName.first(database.reader, { name: 'c1' }),
      brokenByName.first(database.reader, { name: '{' }),
      sql`select * from missing_table`.execute(database.reader),
      counterByName.first(database.reader, { name: 'c2' }),
    ]);
    assert.deepEqual(first, { status: 'fulfilled', value: { name: 'c1', value: 1 } });
    assert.equal(broken.status, 'rejected');
    assert.equal(unknown.status, 'rejected');
    assert.deepEqual(last, { status: 'fulfilled', value: { name: 'c2', value: 2 } });
  }
});
