import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paginateInMemory } from './pagination.ts';

const sliceOf = (length: number, page: number, perPage = 100) => {
  const all = Array.from({ length }, (_, index) => index);
  const { items, total, hasMore: more } = paginateInMemory(all, { kind: 'offset', page, perPage });
  return [items.length, items[0], total, more];
};

test('paginates a list in memory, without a total above 10,000', () => {
  assert.deepEqual(sliceOf(0, 1), [0, undefined, 0, false]);
  assert.deepEqual(sliceOf(5, 2, 2), [2, 2, 5, true]);
  assert.deepEqual(sliceOf(4, 2, 2), [2, 2, 4, false]);
  assert.deepEqual(sliceOf(4, 3, 2), [0, undefined, 4, false]);
  assert.deepEqual(sliceOf(10_000, 100), [100, 9_900, 10_000, false]);
  assert.deepEqual(sliceOf(10_001, 100), [100, 9_900, null, true]);
  assert.deepEqual(sliceOf(10_001, 101), [1, 10_000, null, false]);
  assert.deepEqual(sliceOf(10_001, Number.MAX_SAFE_INTEGER), [0, undefined, null, false]);
});
