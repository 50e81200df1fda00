import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import { buildParameterTable, prepareForRows, type RowParameters } from './prepare.ts';

interface Counter {
  readonly name: string;
  readonly value: number;
}

const addCounters = prepareForRows(['name', 'value'], (tx, rows: RowParameters<Counter>) =>
  tx
    .insertInto('counters')
    .values(rows.map(({ name, value }) => ({ name, value })))
    .returning('name'),
);

const raiseCounters = prepareForRows(['name', 'value'], (tx, rows: RowParameters<Counter>) => {
  const wanted = sql.join(rows.map(({ name, value }) => sql`(${name}, cast(${value} as bigint))`));
  return tx
    .updateTable('counters')
    .from(sql<{ column1: string; column2: number }>`(values ${wanted})`.as('wanted'))
    .set((eb) => ({ value: eb('counters.value', '+', eb.ref('wanted.column2')) }))
    .whereRef('name', '=', 'wanted.column1');
});

test('runs a statement once for each row of a list of any length', async () => {
  await using database = await testDatabase();
  for (const length of [0, 1, 2, 3, 63, 64, 65, 200]) {
    const rows = Array.from({ length }, (_, index) => ({ name: `${length}-${index}`, value: index }));
    const names = await database.transaction((tx) => addCounters(tx, rows));
    assert.deepEqual(
      names.map(({ name }) => name),
      rows.map(({ name }) => name),
    );
    await database.transaction((tx) => raiseCounters(tx, rows));
    const found = await database.reader
      .selectFrom('counters')
      .select(['name', 'value'])
      .where('name', 'like', `${length}-%`)
      .execute();
    assert.deepEqual(
      new Map(found.map(({ name, value }) => [name, value])),
      new Map(rows.map(({ name, value }) => [name, 2 * value])),
    );
  }
});

const valuesOf = prepareForRows(
  ['name', 'value'],
  (tx, rows: RowParameters<Counter>) =>
    tx
      .selectFrom(buildParameterTable(rows, { name: 'text', value: 'bigint' }))
      .crossJoin('counters')
      .select('counters.name')
      .whereRef('counters.name', '=', 'given.name')
      .whereRef('counters.value', '=', 'given.value'),
  { pad: true },
);

test('finds the related rows of each listed row and no others', async () => {
  await using database = await testDatabase();
  const rows = Array.from({ length: 70 }, (_, value) => ({ name: `n${value}`, value }));
  await database.transaction((tx) => addCounters(tx, rows));
  for (const length of [0, 1, 3, 64, 67]) {
    const found = await database.transaction((tx) => valuesOf(tx, rows.slice(0, length)));
    assert.deepEqual(new Set(found.map(({ name }) => name)), new Set(rows.slice(0, length).map(({ name }) => name)));
  }
});
