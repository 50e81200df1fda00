import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientDisconnected, QueueFull } from './concurrency-limiter.ts';
import { createFairLimiter } from './fair-limiter.ts';

const queue = { maxWaiting: 3, retryAfter: 5 };

/** Work that runs until it is ended, and the order in which work has begun. */
function track() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    work: (name: string) => () => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      return promise;
    },
    async end(name: string) {
      ends.get(name)!();
      await new Promise(setImmediate);
    },
  };
}

function client() {
  const controller = new AbortController();
  return {
    disconnect: () => controller.abort(),
    get isDisconnected() {
      return controller.signal.aborted;
    },
    signal: controller.signal,
    network: '192.0.2.1',
    measureStall: () => 0,
  };
}

test('serves the first waiter of another key before the next waiter of the same key', async () => {
  const limiter = createFairLimiter({ slots: 1, each: 1, queue });
  const { begun, work, end } = track();
  const names = [
    ['a', 'a1'],
    ['a', 'a2'],
    ['a', 'a3'],
    ['b', 'b1'],
    ['c', 'c1'],
  ] as const;
  const done = Promise.all(names.map(([key, name]) => limiter.run(key, work(name))));
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) {
    assert.equal(begun.at(-1), name);
    await end(name);
  }
  await done;
});

test('leaves slots to other keys', async () => {
  const limiter = createFairLimiter({ slots: 3, each: 2, queue });
  const { begun, work, end } = track();
  const done = Promise.all(['a1', 'a2', 'a3', 'b1'].map((name) => limiter.run(name[0]!, work(name))));
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a2');
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
  for (const name of ['a1', 'a3', 'b1']) await end(name);
  await done;
});

test('a full queue of one key rejects only that key', async () => {
  const limiter = createFairLimiter({ slots: 1, each: 1, queue });
  const { begun, work, end } = track();
  const names = ['a0', 'a1', 'a2', 'a3'];
  const done = Promise.all(names.map((name) => limiter.run('a', work(name))));
  await assert.rejects(limiter.run('a', work('a4')), QueueFull);
  const other = limiter.run('b', work('b0'));
  for (const name of ['a0', 'a1', 'b0', 'a2', 'a3']) await end(name);
  await Promise.all([done, other]);
  assert.deepEqual(begun, ['a0', 'a1', 'b0', 'a2', 'a3']);
});

test('a waiter whose client disconnects leaves the queue', async () => {
  const limiter = createFairLimiter({ slots: 1, each: 1, queue });
  const { begun, work, end } = track();
  const first = limiter.run('a', work('a0'));
  const gone = client();
  const left = limiter.run('b', work('b0'), { client: gone });
  const next = limiter.run('b', work('b1'));
  gone.disconnect();
  await assert.rejects(left, ClientDisconnected);
  await end('a0');
  assert.deepEqual(begun, ['a0', 'b1']);
  await end('b1');
  await Promise.all([first, next]);
});
