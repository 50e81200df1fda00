import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { systemClock } from '#runtime/clock.ts';
import { ClientDisconnected, QueueFull } from '#runtime/concurrency-limiter.ts';
import { testPlace } from '#test/engines/engine.ts';
import { openDatabase, type TransactionOptions } from './database.ts';

/** A transaction that holds the lock until it is released; all others wait for it. */
async function heldTurn() {
  const place = await testPlace();
  const database = await openDatabase({ ...place, clock: systemClock });
  const [began, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const write = (name: string, options: TransactionOptions = {}) =>
    database.transaction((tx) => tx.insertInto('counters').values({ name, value: 0 }).execute(), {
      lock: 'held',
      ...options,
    });
  const holding = database.transaction(
    async () => {
      began.resolve();
      await mayEnd.promise;
    },
    { lock: 'held' },
  );
  await began.promise;
  const close = async () => {
    mayEnd.resolve();
    await holding;
    await database.close();
    await place.remove();
  };
  const written = async () => (await database.reader.selectFrom('counters').select('name').execute()).length;
  return { database, write, written, end: mayEnd.resolve, [Symbol.asyncDispose]: close };
}

test('queues a thousand writes, rejects further ones with a retry time, and queues exempt ones', async () => {
  await using held = await heldTurn();
  const waiting = Array.from({ length: 1_000 }, (_, index) => held.write(`${index}`));
  await assert.rejects(held.write('late'), (error) => error instanceof QueueFull && error.retryAfterSeconds === 5);
  const owed = held.write('owed', { exemptFromLimit: true });
  held.end();
  await Promise.all([...waiting, owed]);
  assert.equal(await held.written(), 1_001);
});

test('skips the write of a client that disconnected while queued', async () => {
  await using held = await heldTurn();
  const { client, leave } = createTestClient();
  const left = held.write('left', { client });
  const other = held.write('other');
  leave();
  await assert.rejects(left, ClientDisconnected);
  held.end();
  await other;
  assert.equal(await held.written(), 1);
});

test('completes the later writes of a request whose client disconnected while they were queued', async () => {
  await using held = await heldTurn();
  const { client, leave } = createTestClient();
  const writer = { client, hasCommitted: false };
  const { transaction } = held.database.forClient({ client: null, network: client.network, writer });
  const write = (name: string) =>
    transaction((tx) => tx.insertInto('counters').values({ name, value: 0 }).execute(), { lock: 'held' });
  const first = write('first');
  held.end();
  await first;
  const second = write('second');
  leave();
  await second;
  assert.equal(await held.written(), 2);
});

test('skips the first write of a request whose client disconnected while it was queued', async () => {
  await using held = await heldTurn();
  const { client, leave } = createTestClient();
  const writer = { client, hasCommitted: false };
  const { transaction } = held.database.forClient({ client: null, network: client.network, writer });
  const write = transaction((tx) => tx.insertInto('counters').values({ name: 'left', value: 0 }).execute(), {
    lock: 'held',
  });
  leave();
  await assert.rejects(write, ClientDisconnected);
  held.end();
  assert.equal(await held.written(), 0);
});

test('two writers that take the same lock keys in different order both succeed', { timeout: 30_000 }, async () => {
  await using held = await heldTurn();
  held.end();
  const both = (index: number) =>
    held.write(`${index}`, { lock: index % 2 === 0 ? ['one', 'other'] : ['other', 'one', 'other'] });
  await Promise.all(Array.from({ length: 10 }, (_, index) => both(index)));
  assert.equal(await held.written(), 10);
});
