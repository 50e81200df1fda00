import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WaiterGone } from '#runtime/concurrency-limiter.ts';
import { createShares } from './shared-budget.ts';

test('one network takes no more than its share, all together no more than there is, and what is given back is free', () => {
  const shares = createShares({ each: 5, all: 8 });
  assert.equal(shares.take('192.0.2.1', 5), true);
  assert.equal(shares.take('192.0.2.1', 1), false);
  assert.equal(shares.take('2001:db8::1', 3), true);
  assert.equal(shares.take('2001:db8::2', 1), false, 'there is no more');
  shares.giveBack('192.0.2.1', 2);
  assert.equal(shares.take('2001:db8::2', 2), true);
  assert.equal(shares.take('2001:db8::3', 1), false, 'one network');
});

test('who waits has his share when it is there, before those who came later, and not when he has gone', async () => {
  const shares = createShares({ each: 5, all: 8 });
  shares.take('192.0.2.1', 5);
  const come: string[] = [];
  const leaving = new AbortController();
  const gone = shares.wait('192.0.2.1', 1, { gone: false, signal: leaving.signal });
  const first = shares.wait('192.0.2.1', 3).then(() => come.push('first'));
  const second = shares.wait('192.0.2.1', 3).then(() => come.push('second'));
  await shares.wait('192.0.2.2', 3);
  leaving.abort();
  await assert.rejects(gone, WaiterGone);
  shares.giveBack('192.0.2.1', 3);
  await first;
  assert.deepEqual(come, ['first']);
  shares.giveBack('192.0.2.1', 3);
  await second;
  assert.deepEqual(come, ['first', 'second']);
});
