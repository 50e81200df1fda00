import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testClock } from '../../test/clock.ts';
import { testPlace } from '../../test/engines/engine.ts';
import { openDatabase } from './database.ts';
import { type Params, prepare } from './prepare.ts';

const counter = prepare((db, value: Params<{ name: string }>) =>
  db.selectFrom('counters').select('value').where('name', '=', value('name')),
);

test('a prepared read never gives what a commit has made old, whoever committed', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    const read = () => counter.first(database.reader, { name: 'n' });
    assert.equal(await read(), undefined);
    await database.transaction((tx) => tx.insertInto('counters').values({ name: 'n', value: 1 }).execute());
    assert.deepEqual(await read(), { value: 1 });
    assert.deepEqual(await read(), { value: 1 });
    await database.transaction((tx) => tx.updateTable('counters').set({ value: 2 }).where('name', '=', 'n').execute());
    assert.deepEqual(await read(), { value: 2 });
    if (database.engine === 'sqlite') {
      const stranger = new DatabaseSync(join(place.dataDir, 'hearth.sqlite3'));
      stranger.exec("update counters set value = 3 where name = 'n'");
      stranger.close();
      // What another process commits is seen from the next turn of the event loop on.
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await read(), { value: 3 });
    }
  } finally {
    await database.close();
  }
});

test('inside a transaction its own writes are read', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    await database.transaction(async (tx) => {
      await tx.insertInto('counters').values({ name: 'n', value: 1 }).execute();
      assert.deepEqual(await counter.first(tx, { name: 'n' }), { value: 1 });
      await tx.updateTable('counters').set({ value: 2 }).where('name', '=', 'n').execute();
      assert.deepEqual(await counter.first(tx, { name: 'n' }), { value: 2 });
    });
  } finally {
    await database.close();
  }
});

test('the version is another one after each commit, and only then; PostgreSQL tells none', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    const before = database.version();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(database.version(), before);
    await database.transaction((tx) => tx.insertInto('counters').values({ name: 'n', value: 1 }).execute());
    if (database.engine === 'sqlite') assert.notEqual(database.version(), before);
    else assert.equal(database.version(), null);
  } finally {
    await database.close();
  }
});
