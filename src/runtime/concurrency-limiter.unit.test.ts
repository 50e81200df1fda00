import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ClientDisconnected,
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  createKeyedLock,
  mapConcurrently,
  QueueFull,
  type RequestClient,
} from './concurrency-limiter.ts';

/** A task that the test ends. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

/** A client that can disconnect and has stalled for this many milliseconds. */
function client(network = '192.0.2.1', stalled = 0) {
  const controller = new AbortController();
  const { signal } = controller;
  const client: RequestClient = {
    signal,
    isDisconnected: false,
    network,
    measureStall: () => stalled,
    disconnect: () => controller.abort(),
  };
  return { client, leave: () => controller.abort() };
}

/** Requests a slot; `has` returns whether it was granted. */
function asking(acquire: ConcurrencyLimiter['acquire'], network: string) {
  const one = { network, has: false, release: () => {} };
  acquire(client(network)).then((release) => Object.assign(one, { has: true, release }));
  return one;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

const nothing = async () => {};

test('rejects a caller with a retry time when the queue is full', async () => {
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 2, retryAfterSeconds: 7 });
  const first = held();
  const others = [enter(first.work), enter(nothing), enter(nothing)];
  await assert.rejects(enter(first.work), (error) => error instanceof QueueFull && error.retryAfterSeconds === 7);
  first.end();
  await Promise.all(others);
  await enter(nothing);
});

test('a caller that disconnects leaves the queue', async () => {
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 1, retryAfterSeconds: 7 });
  const [first, somebody] = [held(), client()];
  const working = enter(first.work);
  const waiting = enter(nothing, somebody);
  await assert.rejects(enter(nothing), QueueFull);
  somebody.leave();
  await assert.rejects(waiting, ClientDisconnected);
  const next = enter(nothing);
  first.end();
  await Promise.all([working, next]);
});

test('a disconnected caller does not wait; one that disconnects while running keeps its slot until done', async () => {
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 1, retryAfterSeconds: 7 });
  const [first, somebody] = [held(), client()];
  const working = enter(first.work, somebody);
  await assert.rejects(enter(nothing, { client: { ...somebody.client, isDisconnected: true } }), ClientDisconnected);
  somebody.leave();
  const waiting = enter(nothing);
  await assert.rejects(enter(nothing), QueueFull);
  first.end();
  await Promise.all([working, waiting]);
});

test('exempt callers wait in a full queue too', async () => {
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 0, retryAfterSeconds: 7 });
  const first = held();
  const working = enter(first.work);
  const owed = enter(nothing, { exemptFromLimit: true });
  await assert.rejects(enter(nothing), QueueFull);
  first.end();
  await Promise.all([working, owed]);
});

test('one network gets half of the slots, and a quarter is reserved for networks without any', async () => {
  const { acquire } = createConcurrencyLimiter(8, { maxWaiting: 100, retryAfterSeconds: 7 });
  const all = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd', 'e'].map((network) => asking(acquire, network));
  await settled();
  const holders = () => all.flatMap(({ has, network }) => (has ? [network] : [])).join('');
  assert.equal(holders(), 'aaaabbcd');
  all[0]!.release();
  await settled();
  assert.equal(holders(), 'aaaabbcde', 'who has none comes first');
  for (const each of all.slice(1, 3)) each.release();
  await settled();
  assert.equal(holders(), 'aaaabbcde', 'two are kept');
  all[3]!.release();
  await settled();
  assert.equal(holders(), 'aaaaabbcde', 'the others take turns');
});

test('serves waiting networks in turn', async () => {
  const { acquire } = createConcurrencyLimiter(1, { maxWaiting: 100, retryAfterSeconds: 7 });
  const order: string[] = [];
  const take = async (network: string) => {
    const release = await acquire(client(network));
    order.push(network);
    await settled();
    release();
  };
  await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(take));
  assert.equal(order.join(''), 'aabcab');
});

test('one network fills half of the queue', async () => {
  const { acquire } = createConcurrencyLimiter(1, { maxWaiting: 4, retryAfterSeconds: 7 });
  const release = await acquire(client('a'));
  const waiting = [acquire(client('a')), acquire(client('a'))];
  await assert.rejects(acquire(client('a')), QueueFull);
  const other = acquire(client('b'));
  release();
  for (const each of [...waiting, other]) each.then((done) => done());
  await Promise.all([...waiting, other]);
});

test('a stalled client loses its slot to a waiting one', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { acquire } = createConcurrencyLimiter(2, { maxWaiting: 2, retryAfterSeconds: 7 });
  const still = client('a', 60_000);
  const release = await acquire(still);
  still.client.signal.addEventListener('abort', release);
  t.mock.timers.tick(60_000);
  assert.equal(still.client.signal.aborted, false, 'while nobody waits it may');
  const reading = await acquire(client('b'));
  const next = acquire(client('a'));
  t.mock.timers.tick(1_000);
  (await next)();
  assert.equal(still.client.signal.aborted, true);
  reading();
});

test('each key has its own bounded queue', async () => {
  const turns = createKeyedLock({ maxWaiting: 1, retryAfterSeconds: 7 });
  const first = held();
  const all = [turns('a', first.work), turns('a', nothing), turns('b', nothing)];
  await assert.rejects(turns('a', nothing), QueueFull);
  first.end();
  await Promise.all(all);
  await turns('a', nothing);
});

test('limits concurrent tasks and keeps the order of results', async () => {
  let [working, most] = [0, 0];
  const results = await mapConcurrently(3, [5, 4, 3, 2, 1], async (item) => {
    most = Math.max(most, ++working);
    await new Promise((resolve) => setImmediate(resolve));
    working--;
    return item * 2;
  });
  assert.deepEqual([results, most], [[10, 8, 6, 4, 2], 3]);
});
