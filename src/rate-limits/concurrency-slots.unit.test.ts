import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { createConcurrencySlots } from './concurrency-slots.ts';

/** Whether somebody has got a place by now. */
async function stateOf(taken: Promise<unknown>): Promise<string> {
  const has = taken.then(
    () => 'in',
    (error) => (error instanceof QueueFull ? `come back in ${error.retryAfterSeconds} s` : String(error)),
  );
  return Promise.race([has, new Promise<string>((resolve) => setImmediate(resolve, 'waits'))]);
}

test('limits the slots of each address and the total', async () => {
  const places = createConcurrencySlots({ perNetwork: 2, total: 3 });
  const taken = ['1.1.1.1', '1.1.1.1', '1.1.1.1', '2.2.2.2', '3.3.3.3'].map((address) => places.take(address));
  const states = () => Promise.all(taken.map(stateOf));
  assert.deepEqual(await states(), ['in', 'in', 'waits', 'in', 'waits']);
  const leave = await taken[0]!;
  leave();
  leave();
  assert.deepEqual(await states(), ['in', 'in', 'waits', 'in', 'in']);
  (await taken[3]!)();
  assert.deepEqual(await states(), ['in', 'in', 'in', 'in', 'in']);
});

test('a full queue rejects with a retry time', async () => {
  const places = createConcurrencySlots({ perNetwork: 1, total: 2 });
  const taken = Array.from({ length: 4 }, () => places.take('1.1.1.1'));
  assert.deepEqual(await Promise.all(taken.map(stateOf)), ['in', 'waits', 'waits', 'come back in 10 s']);
  assert.equal(await stateOf(places.take('2.2.2.2')), 'in');
  for (const each of taken.slice(0, 3)) (await each)();
  assert.equal(await stateOf(places.take('1.1.1.1')), 'in');
});

test('an IPv6 network counts as one client', async () => {
  const places = createConcurrencySlots({ perNetwork: 1, total: 10 });
  const taken = ['2001:db8::1', '2001:db8::2:3', '2001:db8:0:1::1'].map((address) => places.take(address));
  assert.deepEqual(await Promise.all(taken.map(stateOf)), ['in', 'waits', 'in']);
});
