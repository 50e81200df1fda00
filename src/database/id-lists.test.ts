import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { isInIds } from './dialect.ts';

test('includes or excludes rows by a list of ids longer than the parameter limit', async () => {
  await using database = await testDatabase();
  const { reader, transaction } = database;
  const made = await transaction((tx) =>
    tx
      .insertInto('counters')
      .values(['one', 'two', 'three'].map((name, index) => ({ name, value: index + 1 })))
      .returning('value')
      .execute(),
  );
  assert.equal(made.length, 3);
  const counters = reader.selectFrom('counters').select('name').where('name', 'in', ['one', 'two', 'three']);
  const chosen = async (ids: readonly number[], among: boolean) => {
    const rows = await counters
      .where((eb) => {
        const condition = isInIds(reader, eb.ref('value'), ids);
        return among ? condition : eb.not(condition);
      })
      .orderBy('value')
      .execute();
    return rows.map(({ name }) => name);
  };
  const many = Array.from({ length: 70_000 }, (_, index) => index + 3);
  assert.deepEqual(await chosen(many, true), ['three']);
  assert.deepEqual(await chosen(many, false), ['one', 'two']);
  assert.deepEqual(await chosen([2, 2, -7, Number.MAX_SAFE_INTEGER], true), ['two']);
  assert.deepEqual(await chosen([], true), []);
});
