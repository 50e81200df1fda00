import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gate, LineFull } from './gate.ts';

/** Work that ends when it is told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('whoever finds the line full is told when to come back, and waits for nothing', async () => {
  const { enter } = gate(1, { waiting: 2, retryAfter: 7 });
  const first = held();
  const others = [first.work, async () => {}, async () => {}].map(enter);
  await assert.rejects(enter(first.work), (error) => error instanceof LineFull && error.retryAfter === 7);
  first.end();
  await Promise.all(others);
  await enter(async () => {});
});

test('without an end of the line everybody waits', async () => {
  const { enter } = gate(1);
  const first = held();
  const all = [first.work, ...Array.from({ length: 1_000 }, () => async () => {})].map(enter);
  first.end();
  assert.equal((await Promise.all(all)).length, 1_001);
});
