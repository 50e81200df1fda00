import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someClient } from '#git/fixtures.testing.ts';
import { QueueFull, WaiterGone } from '#runtime/concurrency-limiter.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { gathered } from './batched-writes.ts';
import { createEventBus } from './event-bus.ts';
import { createRunUnitOfWork, type UnitOfWork } from './unit-of-work.ts';

/** A gathering that writes down who came, with the transactions that it took. */
async function road({ most = 100, waiting = 1_000 } = {}) {
  const database = await testDatabase({ clock: testClock() });
  const runUnitOfWork = createRunUnitOfWork({ database, tier: 'ultimate', ...createEventBus([]) });
  const batches: string[][] = [];
  const bring = gathered<string, string>({
    verb: async (uow: UnitOfWork, names) => {
      batches.push([...names]);
      for (const name of names) {
        if (name === 'unknown') continue;
        await uow.insertInto('counters').values({ name, value: batches.length }).execute();
      }
      return names.map((name) => (name === 'unknown' ? fail('unknown') : `${name} is in`));
    },
    weigh: (name) => name.length,
    most,
    line: { waiting, retryAfter: 3 },
  });
  const written = async () =>
    (await database.reader.selectFrom('counters').select('name').orderBy('name').execute()).map(({ name }) => name);
  return { come: (name: string, waiter = {}) => bring({ runUnitOfWork }, name, waiter), batches, written, database };
}

test('those that come together are done in one transaction, in their order, and each has his own result', async () => {
  const { come, batches, database } = await road();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  assert.deepEqual(await Promise.all(['c', 'a', 'b'].map((name) => come(name))), ['c is in', 'a is in', 'b is in']);
  assert.deepEqual(batches, [['c', 'a', 'b']]);
  assert.equal(await come('d'), 'd is in');
  assert.equal(batches.length, 2);
});

test('who is refused hurts nobody', async () => {
  const { come, written, database } = await road();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  const [a, unknown] = await Promise.all(['a', 'unknown'].map((name) => come(name)));
  assert.equal(a, 'a is in');
  assert.ok(isFailure(unknown) && unknown.code === 'unknown');
  assert.deepEqual(await written(), ['a']);
});

test('who fails hurts nobody: all others are done, in their order, and durable when they are told so', async () => {
  const { come, written, batches, database } = await road();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  await come('taken');
  const names = ['a', 'b', 'c', 'taken', 'd', 'e'];
  const ends = await Promise.allSettled(names.map((name) => come(name)));
  const failed = ends.flatMap(({ status }, index) => (status === 'rejected' ? [names[index]] : []));
  assert.deepEqual(failed, ['taken']);
  assert.deepEqual(await written(), ['a', 'b', 'c', 'd', 'e', 'taken']);
  assert.deepEqual(batches[1], names);
});

test('one transaction does so much and no more, and what is too much is done alone', async () => {
  const { come, batches, database } = await road({ most: 6 });
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  await Promise.all(['abc', 'def', 'g', 'very much', 'h'].map((name) => come(name)));
  assert.deepEqual(batches, [['abc', 'def'], ['g'], ['very much'], ['h']]);
});

test('the line has an end, at which one hears when to come back, and what is owed waits all the same', async () => {
  const { come, written, database } = await road({ waiting: 2 });
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  const waiting = ['a', 'b'].map((name) => come(name));
  await assert.rejects(come('late'), (error) => error instanceof QueueFull && error.retryAfter === 3);
  await Promise.all([...waiting, come('owed', { owed: true })]);
  assert.deepEqual(await written(), ['a', 'b', 'owed']);
});

test('nothing is done for a client that has gone before it was begun', async () => {
  const { come, written, database } = await road();
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  const { client, leave } = someClient();
  const left = come('left', { client });
  const stays = come('stays');
  leave();
  await assert.rejects(left, WaiterGone);
  await stays;
  assert.deepEqual(await written(), ['stays']);
});
