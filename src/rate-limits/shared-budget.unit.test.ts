import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { ClientDisconnected } from '#runtime/concurrency-limiter.ts';
import { createSharedBudget } from './shared-budget.ts';

test('limits each network and the total, and released amounts are available again', () => {
  const shares = createSharedBudget({ each: 5, all: 8 });
  assert.equal(shares.take('192.0.2.1', 5), true);
  assert.equal(shares.take('192.0.2.1', 1), false);
  assert.equal(shares.take('2001:db8::1', 3), true);
  assert.equal(shares.take('2001:db8::2', 1), false, 'there is no more');
  shares.release('192.0.2.1', 2);
  assert.equal(shares.take('2001:db8::2', 2), true);
  assert.equal(shares.take('2001:db8::3', 1), false, 'one network');
});

test('waiters are served in order, except those that disconnected', async () => {
  const shares = createSharedBudget({ each: 5, all: 8 });
  shares.take('192.0.2.1', 5);
  const come: string[] = [];
  const leaving = createTestClient();
  const gone = shares.wait('192.0.2.1', 1, leaving.client);
  const first = shares.wait('192.0.2.1', 3).then(() => come.push('first'));
  const second = shares.wait('192.0.2.1', 3).then(() => come.push('second'));
  await shares.wait('192.0.2.2', 3);
  leaving.leave();
  await assert.rejects(gone, ClientDisconnected);
  shares.release('192.0.2.1', 3);
  await first;
  assert.deepEqual(come, ['first']);
  shares.release('192.0.2.1', 3);
  await second;
  assert.deepEqual(come, ['first', 'second']);
});
