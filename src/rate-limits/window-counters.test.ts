import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { engine, testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { cleanUpCountsJob, createRequestCounter, getRateLimitWindow, incrementCount } from './window-counters.ts';

const at = (seconds: number) => new Date(seconds * 1000);

test('a window is a number and an end, the same for all keys', () => {
  assert.deepEqual(getRateLimitWindow(at(59), 'a', 60), { key: 'a', period: 0, endsAt: 60_000 });
  assert.deepEqual(getRateLimitWindow(at(60), 'a', 60), { key: 'a', period: 1, endsAt: 120_000 });
});

for (const alone of [true, false]) {
  test(`requests are counted ${alone ? 'in memory' : 'in the database'}, by key and window`, async () => {
    await using database = await testDatabase({ clock: testClock() });
    const count = createRequestCounter(database, alone);
    const one = getRateLimitWindow(at(10), 'a', 60);
    assert.deepEqual([await count(one), await count(one), await count(getRateLimitWindow(at(10), 'b', 60))], [1, 2, 1]);
    assert.equal(await count(getRateLimitWindow(at(70), 'a', 60)), 1);
    const many = await Promise.all(Array.from({ length: 20 }, () => count(getRateLimitWindow(at(130), 'a', 60))));
    assert.deepEqual(
      many.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });
}

test('two processes on one database count together', async () => {
  await using database = await testDatabase({ clock: testClock() });
  const [one, other] = [createRequestCounter(database, false), createRequestCounter(database, false)];
  const window = getRateLimitWindow(at(10), 'a', 60);
  assert.deepEqual([await one(window), await other(window), await one(window)], [1, 2, 3]);
});

test('the cleanup deletes past windows only', async () => {
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const count = (key: string) =>
    database.transaction((tx) => incrementCount(tx, getRateLimitWindow(new Date(tx.now), key, 60)));
  await count('past');
  clock.advance(60);
  await count('present');
  await cleanUpCountsJob.handle({ database } as never, {} as never, {} as never);
  const left = await database.reader.selectFrom('limit_counts').select('key').execute();
  assert.deepEqual(left, [{ key: 'present' }]);
});

const skip = engine === 'sqlite' ? 'SQLite has one writer' : false;

test('keeps a window that begins while the cleanup waits for its row', { skip }, async () => {
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const isWaiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await database.transaction((tx) => incrementCount(tx, getRateLimitWindow(new Date(tx.now), 'a', 60)));
  clock.advance(60);
  const present = getRateLimitWindow(clock.now(), 'a', 60);
  const { swept } = await database.transaction(
    async (tx) => {
      await incrementCount(tx, present);
      const swept = cleanUpCountsJob.handle({ database } as never, {} as never, {} as never);
      while ((await isWaiting.execute(database.reader)).rows.length === 0);
      return { swept };
    },
    { isolation: 'read committed' },
  );
  await swept;
  assert.equal(await database.transaction((tx) => incrementCount(tx, present)), 2);
});
