import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reader, Transaction } from './database.ts';
import { foldCase } from './name-keys.ts';

/** Compiled but never called: the types must reject these calls. */
export function misuse(db: Reader, tx: Transaction) {
  // @ts-expect-error a reader does not write
  db.insertInto('counters');
  // @ts-expect-error a reader does not write
  db.updateTable('counters');
  // @ts-expect-error a reader does not write
  db.deleteFrom('counters');
  // @ts-expect-error a reader does not write below a common table expression either
  db.with('a', (query) => query.selectFrom('counters').select('name')).deleteFrom('counters');
  // @ts-expect-error nor inside of one
  db.with('a', (query) => query.deleteFrom('counters').returning('name'));
  // @ts-expect-error a reader is not a transaction
  const wrong: Transaction = db;
  const right: Reader = tx;
  return [wrong, right];
}

test('names that differ in case or composition have the same key', () => {
  assert.equal(foldCase('ÄPFEL'), foldCase('a\u0308pfel'));
  assert.notEqual(foldCase('a'), foldCase('b'));
});
