import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { ClientDisconnected } from '#runtime/concurrency-limiter.ts';
import { createSharedBudget } from './shared-budget.ts';

const at = (network: string) => createTestClient(network).client;

test('limits each network and the total, and released amounts are available again', () => {
  const budget = createSharedBudget({ perNetwork: 5, total: 8 });
  const first = at('a');
  assert.equal(budget.reserve(first, 4), true);
  assert.equal(budget.reserve(first, 5), true, 'one more');
  assert.equal(budget.reserve(first, 2), true, 'held already');
  assert.equal(budget.reserve(at('a'), 1), false);
  assert.equal(budget.reserve(at('b'), 3), true);
  assert.equal(budget.reserve(at('b'), 1), false, 'the total is used up');
  budget.release(first, 3);
  assert.equal(budget.reserve(at('b'), 2), true);
  assert.equal(budget.reserve(at('b'), 1), false, 'one network');
});

test('reserves an amount for networks that use little', () => {
  const budget = createSharedBudget({ perNetwork: 32, total: 32, extraForSmallHolders: 16 });
  assert.equal(budget.reserve(at('a'), 32), true);
  assert.equal(budget.isAvailable(at('a'), 1), false);
  assert.equal(budget.reserve(at('b'), 2), false);
  for (let count = 0; count < 16; count++) assert.equal(budget.reserve(at(`c${count}`), 1), true);
  assert.equal(budget.reserve(at('d'), 1), false);
});

test('grants an amount above the limit to a network without other amounts', () => {
  const budget = createSharedBudget({ perNetwork: 5, total: 8 });
  assert.equal(budget.reserve(at('a'), 7), true);
  assert.equal(budget.reserve(at('a'), 7), false);
  assert.equal(budget.reserve(at('b'), 7), true);
  assert.equal(budget.reserve(at('c'), 7), false, 'the total is used up');
});

test('waiters are served in order, except those that disconnected', async () => {
  const budget = createSharedBudget({ perNetwork: 5, total: 8 });
  const holder = at('a');
  budget.reserve(holder, 5);
  const served: string[] = [];
  const leaving = createTestClient('a');
  const abandoned = budget.wait(leaving.client, 1);
  const [one, two] = [at('a'), at('a')];
  const first = budget.wait(one, 3).then(() => served.push('first'));
  const second = budget.wait(two, 3).then(() => served.push('second'));
  await budget.wait(at('b'), 3);
  leaving.leave();
  await assert.rejects(abandoned, ClientDisconnected);
  budget.release(holder, 2);
  await first;
  assert.deepEqual(served, ['first']);
  budget.release(one);
  await second;
  assert.deepEqual(served, ['first', 'second']);
});

test('disconnects stalled clients when others of their network are rejected', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const budget = createSharedBudget({ perNetwork: 4, total: 8 });
  const still = (network: string) => {
    const { client } = createTestClient(network);
    Object.assign(client, { measureStall: () => 5_000 });
    return client;
  };
  const [stalled, moving, other] = [still('a'), at('a'), still('b')];
  for (const client of [stalled, moving, other]) assert.ok(budget.reserve(client, 2));
  t.mock.timers.tick(1_000);
  assert.equal(stalled.isDisconnected, false, 'nobody was refused');
  assert.equal(budget.reserve(at('a'), 1), false);
  t.mock.timers.tick(1_000);
  assert.deepEqual(
    [stalled, moving, other].map(({ isDisconnected }) => isDisconnected),
    [true, false, false],
  );
});
