import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { mapConcurrently } from './concurrency-limiter.ts';
import { createSharedYielder, createYielder, mapCooperatively, sortCooperatively } from './yielding.ts';

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
    mapping: () => mapCooperatively(items, (item) => slow(0.05, item)),
    each: () => mapConcurrently(3, items, async (item) => slow(0.05, item)),
  };
  for (const [name, work] of Object.entries(works)) assert.ok((await turnsDuring(work)) > 2, name);
});
