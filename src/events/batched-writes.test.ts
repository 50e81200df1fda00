import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { ClientDisconnected, QueueFull, type Waiter } from '#runtime/concurrency-limiter.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { defineBatchedWrite } from './batched-writes.ts';
import { createEventBus } from './event-bus.ts';
import { createRunUnitOfWork, type UnitOfWork } from './unit-of-work.ts';

/** Creates a batched write that records its batches. */
async function setUp({ most = 100, waiting = 1_000 } = {}) {
  const database = await testDatabase({ clock: testClock() });
  const runUnitOfWork = createRunUnitOfWork({ database, tier: 'ultimate', ...createEventBus([]) });
  const batches: string[][] = [];
  const add = defineBatchedWrite<string, string>({
    execute: async (uow: UnitOfWork, names) => {
      batches.push([...names]);
      for (const name of names) {
        if (name === 'unknown') continue;
        await uow.insertInto('counters').values({ name, value: batches.length }).execute();
      }
      return names.map((name) => (name === 'unknown' ? fail('unknown') : `${name} is in`));
    },
    weightOf: (name) => name.length,
    maxWeight: most,
    queue: { maxWaiting: waiting, retryAfterSeconds: 3 },
  });
  const written = async () =>
    (await database.reader.selectFrom('counters').select('name').orderBy('name').execute()).map(({ name }) => name);
  return {
    add: (name: string, waiter: Waiter = {}) => add({ runUnitOfWork }, name, waiter),
    batches,
    written,
    database,
  };
}

test('concurrent items run in one transaction, in order, each with its own result', async () => {
  const { add, batches, database } = await setUp();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  assert.deepEqual(await Promise.all(['c', 'a', 'b'].map((name) => add(name))), ['c is in', 'a is in', 'b is in']);
  assert.deepEqual(batches, [['c', 'a', 'b']]);
  assert.equal(await add('d'), 'd is in');
  assert.equal(batches.length, 2);
});

test('a failing item does not affect the others', async () => {
  const { add, written, database } = await setUp();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  const [a, unknown] = await Promise.all(['a', 'unknown'].map((name) => add(name)));
  assert.equal(a, 'a is in');
  assert.ok(isFailure(unknown) && unknown.code === 'unknown');
  assert.deepEqual(await written(), ['a']);
});

test('an item that throws does not affect the others, which are committed in order', async () => {
  const { add, written, batches, database } = await setUp();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  await add('taken');
  const names = ['a', 'b', 'c', 'taken', 'd', 'e'];
  const ends = await Promise.allSettled(names.map((name) => add(name)));
  const failed = ends.flatMap(({ status }, index) => (status === 'rejected' ? [names[index]] : []));
  assert.deepEqual(failed, ['taken']);
  assert.deepEqual(await written(), ['a', 'b', 'c', 'd', 'e', 'taken']);
  assert.deepEqual(batches[1], names);
});

test('a transaction is limited by weight, and a heavier item runs alone', async () => {
  const { add, batches, database } = await setUp({ most: 6 });
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  await Promise.all(['abc', 'def', 'g', 'very much', 'h'].map((name) => add(name)));
  assert.deepEqual(batches, [['abc', 'def'], ['g'], ['very much'], ['h']]);
});

test('a full queue rejects items with a retry time, except for exempt ones', async () => {
  const { add, written, database } = await setUp({ waiting: 2 });
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  const waiting = ['a', 'b'].map((name) => add(name));
  await assert.rejects(add('late'), (error) => error instanceof QueueFull && error.retryAfterSeconds === 3);
  await Promise.all([...waiting, add('owed', { exemptFromLimit: true })]);
  assert.deepEqual(await written(), ['a', 'b', 'owed']);
});

test('an item of a disconnected client is skipped', async () => {
  const { add, written, database } = await setUp();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  const { client, leave } = createTestClient();
  const left = add('left', { client });
  const stays = add('stays');
  leave();
  await assert.rejects(left, ClientDisconnected);
  await stays;
  assert.deepEqual(await written(), ['stays']);
});
