import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  ClientDisconnected,
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
  createKeyedLock,
  createSharedYielder,
  createYielder,
  filterCooperatively,
  mapConcurrently,
  QueueFull,
  type RequestClient,
  sortCooperatively,
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
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 2, retryAfter: 7 });
  const first = held();
  const others = [enter(first.work), enter(nothing), enter(nothing)];
  await assert.rejects(enter(first.work), (error) => error instanceof QueueFull && error.retryAfter === 7);
  first.end();
  await Promise.all(others);
  await enter(nothing);
});

test('a caller that disconnects leaves the queue', async () => {
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 1, retryAfter: 7 });
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
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 1, retryAfter: 7 });
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
  const { run: enter } = createConcurrencyLimiter(1, { maxWaiting: 0, retryAfter: 7 });
  const first = held();
  const working = enter(first.work);
  const owed = enter(nothing, { exemptFromLimit: true });
  await assert.rejects(enter(nothing), QueueFull);
  first.end();
  await Promise.all([working, owed]);
});

test('one network gets half of the slots, and a quarter is reserved for networks without any', async () => {
  const { acquire } = createConcurrencyLimiter(8, { maxWaiting: 100, retryAfter: 7 });
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
  const { acquire } = createConcurrencyLimiter(1, { maxWaiting: 100, retryAfter: 7 });
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
  const { acquire } = createConcurrencyLimiter(1, { maxWaiting: 4, retryAfter: 7 });
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
  const { acquire } = createConcurrencyLimiter(2, { maxWaiting: 2, retryAfter: 7 });
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
  const turns = createKeyedLock({ maxWaiting: 1, retryAfter: 7 });
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

/**
 * Replaces the clock with one that only the tasks of the test advance. Returns a function that works for this many
 * milliseconds without waiting.
 */
function workingTime({ mock }: TestContext): (milliseconds: number) => void {
  let now = performance.now();
  mock.method(performance, 'now', () => now);
  return (milliseconds) => {
    now += milliseconds;
  };
}

test('small consecutive tasks yield to the event loop when their time is used up', (t) => {
  const busyFor = workingTime(t);
  const giveWay = createSharedYielder();
  assert.equal(giveWay(), undefined);
  assert.equal(giveWay(), undefined);
  busyFor(15);
  assert.ok(giveWay() instanceof Promise);
});

test('tasks of many callers share the time of one event loop turn', async (t) => {
  const busyFor = workingTime(t);
  const giveWay = createSharedYielder();
  const turns: number[][] = [];
  const look = () => {
    turns.push([]);
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  turns.push([]);
  const work = async (who: number) => {
    for (let step = 0; step < 3; step++) {
      const way = giveWay();
      if (way !== undefined) await way;
      turns.at(-1)!.push(who);
      busyFor(11);
    }
  };
  giveWay();
  busyFor(11);
  await Promise.all([work(1), work(2), work(3)]);
  clearImmediate(next);
  const order = turns.filter((turn) => turn.length > 0);
  assert.deepEqual(order, [[1], [2], [3], [1], [2], [3], [1], [2], [3]]);
});

test('only one long task continues per event loop turn, and short tasks do not wait for long ones', async (t) => {
  const busyFor = workingTime(t);
  const turns: string[][] = [[]];
  const look = () => {
    turns.push([]);
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  const work = async (who: string, milliseconds: number) => {
    const giveWay = createYielder();
    for (let step = 0; step < 3; step++) {
      busyFor(milliseconds);
      turns.at(-1)!.push(who);
      await giveWay();
    }
  };
  await Promise.all([work('a', 11), work('b', 11), work('c', 0.1)]);
  clearImmediate(next);
  const order = turns.filter((turn) => turn.length > 0).map((turn) => turn.join(''));
  assert.deepEqual(order, ['abccc', 'a', 'b', 'a', 'b']);
});

/** Returns the number of event loop turns that others had while this ran. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const look = () => {
    turns++;
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  await run();
  clearImmediate(next);
  return turns;
}

test('sorts a long list like toSorted, and is stable', async () => {
  const items = Array.from({ length: 3000 }, (_, at) => ({ at, key: (at * 7919) % 100 }));
  const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
  for (const length of [0, 1, 512, 513, 3000]) {
    const some = items.slice(0, length);
    assert.deepEqual(await sortCooperatively(some, compare), some.toSorted(compare));
  }
});

test('sorting, filtering and many small tasks yield to the event loop', async (t) => {
  const busyFor = workingTime(t);
  const items = Array.from({ length: 3000 }, (_, at) => (at * 7919) % 3000);
  const slow = <Result>(milliseconds: number, result: Result): Result => {
    busyFor(milliseconds);
    return result;
  };
  const works = {
    sorting: () => sortCooperatively(items, (a, b) => slow(0.002, a - b)),
    filtering: () => filterCooperatively(items, (item) => slow(0.05, item % 2 === 0)),
    each: () => mapConcurrently(3, items, async (item) => slow(0.05, item)),
  };
  for (const [name, work] of Object.entries(works)) assert.ok((await turnsDuring(work)) > 2, name);
  assert.equal((await filterCooperatively(items, (item) => item % 2 === 0)).length, 1500);
});
