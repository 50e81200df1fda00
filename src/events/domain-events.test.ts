import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { createJobQueue } from '#jobs/queue.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { MORE } from './batches.ts';
import { type AnySubscription, createEventBus, defineSubscription } from './event-bus.ts';
import { createRunUnitOfWork } from './unit-of-work.ts';

const deleted = { userId: 7, ghostUserId: 2, hard: false };

interface Services {
  readonly heard: string[];
}

const counting = defineSubscription({
  event: 'user-deleted',
  inTransaction: async (tx, { userId }) => {
    await tx.insertInto('counters').values({ name: 'deleted', value: userId }).execute();
  },
});

const mailing = defineSubscription({
  event: 'user-deleted',
  inBackground: {
    kind: 'facts-test-mail',
    async handle(services: Services, { userId }) {
      services.heard.push(`user ${userId}`);
    },
  },
});

const watching = defineSubscription({
  event: 'group-destroyed',
  inTransaction: async () => assert.fail('another event'),
  inBackground: {
    kind: 'facts-test-watch',
    async handle(services: Services, { groupId }) {
      services.heard.push(`group ${groupId}`);
    },
  },
});

async function setUp(subscriptions: readonly AnySubscription<Services>[]) {
  const clock = testClock();
  const database = await testDatabase({ clock });
  const eventBus = createEventBus<Services>(subscriptions);
  const services: Services = { heard: [] };
  const queue = createJobQueue({ database, clock, services, jobs: eventBus.jobs });
  const runUnitOfWork = createRunUnitOfWork({ database, tier: 'ultimate', ...eventBus });
  return { database, eventBus, runUnitOfWork, services, queue, [Symbol.asyncDispose]: () => database.close() };
}

test('an event reaches its subscribers in the transaction and in the background, and no others', async () => {
  await using s = await setUp([counting, mailing, watching]);
  await s.runUnitOfWork(ANONYMOUS, async (uow) => {
    await uow.publish('user-deleted', deleted);
    assert.equal((await uow.selectFrom('counters').select('value').executeTakeFirst())?.value, 7);
  });
  assert.deepEqual(s.services.heard, []);
  assert.equal(await s.queue.runDue(), 1);
  assert.deepEqual(s.services.heard, ['user 7']);
});

test('a subscriber that fails in the transaction rolls it back', async () => {
  await using s = await setUp([mailing, counting]);
  const twice = s.runUnitOfWork(ANONYMOUS, async (uow) => {
    await uow.publish('user-deleted', deleted);
    await uow.publish('user-deleted', deleted);
  });
  await assert.rejects(twice);
  assert.equal(await s.queue.runDue(), 0);
});

test('a subscriber publishes another event in the same transaction', async () => {
  const following = defineSubscription({
    event: 'group-destroyed',
    inTransaction: (uow, { groupId }) => uow.publish('user-deleted', { ...deleted, userId: groupId * 10 }),
  });
  await using s = await setUp([following, counting, mailing]);
  await s.runUnitOfWork(ANONYMOUS, async (uow) => {
    await uow.publish('group-destroyed', { groupId: 4 });
    assert.equal((await uow.selectFrom('counters').select('value').executeTakeFirst())?.value, 40);
  });
  await s.queue.runDue();
  assert.deepEqual(s.services.heard, ['user 40']);
});

/** Compiled but never called: the types must reject these calls. */
export async function misuse({ eventBus, runUnitOfWork, database }: Awaited<ReturnType<typeof setUp>>) {
  await runUnitOfWork(ANONYMOUS, async (uow) => {
    // @ts-expect-error the payload of another event
    await uow.publish('user-deleted', { groupId: 7 });
  });
  // @ts-expect-error an event is published in a unit of work
  await eventBus.publish(database.reader, 'user-deleted', deleted);
}

test('batches run before the event, and the remaining ones when it is published', async () => {
  let left = 5;
  const large = defineSubscription({
    event: 'user-deleted',
    inBatches: async () => (--left > 0 ? MORE : undefined),
  });
  await using s = await setUp([large, watching]);
  const ahead = () => s.runUnitOfWork(ANONYMOUS, (uow) => uow.publishBatch('user-deleted', deleted));
  assert.deepEqual([await ahead(), await ahead(), left], [true, true, 3]);
  await s.runUnitOfWork(ANONYMOUS, (uow) => uow.publish('user-deleted', deleted));
  assert.equal(left, 0);
  assert.equal(await ahead(), false);
});
