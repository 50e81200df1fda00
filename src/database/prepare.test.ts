import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { type Params, prepare, prepareWrite } from './prepare.ts';

let builds = 0;

const countersFrom = prepare((db, value: Params<{ from: number; limit: number }>) => {
  builds++;
  return db
    .selectFrom('counters')
    .select(['name', 'value'])
    .where('value', '>=', value('from'))
    .where('value', '<', 100)
    .orderBy('value')
    .limit(value('limit'));
});

const setCounter = prepareWrite((tx, value: Params<{ name: string; value: number }>) =>
  tx
    .insertInto('counters')
    .values({ name: value('name'), value: value('value') })
    .returning('name'),
);

test('a prepared query is built once and runs with the values of each call', async () => {
  await using database = await testDatabase();
  await database.transaction(async (tx) => {
    for (const i of [1, 2, 3, 200])
      assert.deepEqual(await setCounter(tx, { name: `c${i}`, value: i }), [{ name: `c${i}` }]);
    assert.deepEqual(await countersFrom.first(tx, { from: 3, limit: 5 }), { name: 'c3', value: 3 });
  });
  const before = builds;
  assert.deepEqual(await countersFrom(database.reader, { from: 2, limit: 1 }), [{ name: 'c2', value: 2 }]);
  assert.equal((await countersFrom(database.reader, { from: 0, limit: 10 })).length, 3);
  assert.equal(await countersFrom.first(database.reader, { from: 99, limit: 10 }), undefined);
  assert.equal(builds, before);
});

test('a prepared query that names no columns is an error', async () => {
  await using database = await testDatabase();
  const everything = prepare((db) => db.selectFrom('counters').selectAll());
  const ofOne = prepare((db) => db.selectFrom('counters').selectAll('counters'));
  const counted = prepare((db) => db.selectFrom('counters').select((eb) => eb.fn.countAll<number>().as('count')));
  for (const query of [everything, ofOne]) {
    await assert.rejects(async () => query(database.reader, {}), /must name its columns/);
  }
  assert.equal((await counted(database.reader, {})).length, 1);
});

test('a missing value is an error, not a NULL', async () => {
  await using database = await testDatabase();
  await assert.rejects(countersFrom(database.reader, { from: 1 } as never), /The value limit .* is missing/);
});

/** Compiled but never called: the types must reject these calls. */
export function misuse(db: Parameters<typeof countersFrom>[0]) {
  // @ts-expect-error a value is missing
  void countersFrom(db, { from: 1 });
  // @ts-expect-error a value has the wrong type
  void countersFrom(db, { from: 'x', limit: 1 });
  // @ts-expect-error a write needs a transaction
  void setCounter(db, { name: 'a', value: 1 });
}
