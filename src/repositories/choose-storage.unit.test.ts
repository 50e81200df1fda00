import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseStorage } from './choose-storage.ts';

test('chooses storages by weight; without weights each equally', () => {
  const counts = (weights: Record<string, number>) => {
    const seen = new Map<string, number>();
    for (let i = 0; i < 600; i += 1) {
      const chosen = chooseStorage(['a', 'b', 'c'], weights);
      seen.set(chosen, (seen.get(chosen) ?? 0) + 1);
    }
    return seen;
  };
  assert.deepEqual([...counts({ b: 100 }).keys()], ['b']);
  assert.deepEqual([...counts({ a: 1, c: 99, gone: 100 }).keys()].includes('b'), false);
  assert.deepEqual([...counts({}).keys()].sort(), ['a', 'b', 'c']);
});
