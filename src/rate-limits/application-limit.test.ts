import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { applicationLimit } from './application-limit.ts';

const limit = { name: 'looking', subject: 7, limit: 3, periodSeconds: 60 };

test('requests at once are all counted', async () => {
  await using database = await testDatabase({ clock: testClock() });
  const asked = await Promise.all(Array.from({ length: 10 }, () => applicationLimit(database, limit)));
  const refusals = asked.filter((refusal) => refusal !== null);
  assert.equal(refusals.length, 7);
  assert.deepEqual(refusals[0]?.values, { seconds: 60 });
});

test('each subject and each period counts for itself', async () => {
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const ask = async (subject: number) => (await applicationLimit(database, { ...limit, subject, limit: 1 })) === null;
  assert.deepEqual([await ask(7), await ask(7), await ask(8)], [true, false, true]);
  clock.advance(60);
  assert.equal(await ask(7), true);
  const rows = await database.reader.selectFrom('limit_counts').select('key').execute();
  assert.equal(rows.length, 2, 'old periods leave nothing');
});

test('0 is no limit and costs nothing', async () => {
  await using database = await testDatabase({ clock: testClock() });
  assert.equal(await applicationLimit(database, { ...limit, limit: 0 }), null);
  assert.deepEqual(await database.reader.selectFrom('limit_counts').select('key').execute(), []);
});
