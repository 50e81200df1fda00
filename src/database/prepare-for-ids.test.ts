import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { prepareForIds } from './prepare.ts';

const counters = prepareForIds((db, ids) => db.selectFrom('counters').select('name').where('value', 'in', ids));

test('finds each row once for a list of ids of any length', async () => {
  await using database = await testDatabase();
  await database.transaction(async (tx) => {
    for (let value = 1; value <= 300; value++)
      await tx
        .insertInto('counters')
        .values({ name: `n${value}`, value })
        .execute();
  });
  for (const length of [0, 1, 2, 3, 127, 128, 129, 300]) {
    const ids = Array.from({ length }, (_, index) => index + 1);
    const found = await counters(database.reader, ids);
    assert.deepEqual(found.map(({ name }) => name).sort(), ids.map((id) => `n${id}`).sort(), `${length} ids`);
  }
});
