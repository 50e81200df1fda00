import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { checkApplicationLimit } from './application-limit.ts';

const limit = { name: 'looking', subject: 7, limit: 3, periodSeconds: 60 };

test('counts all concurrent requests', async () => {
  await using database = await testDatabase({ clock: testClock() });
  const asked = await Promise.all(Array.from({ length: 10 }, () => checkApplicationLimit(database, limit)));
  const refusals = asked.filter((refusal) => refusal !== null);
  assert.equal(refusals.length, 7);
  assert.deepEqual(refusals[0]?.values, { seconds: 60 });
});

test('counts each subject and each period separately', async () => {
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const ask = async (subject: number) =>
    (await checkApplicationLimit(database, { ...limit, subject, limit: 1 })) === null;
  assert.deepEqual([await ask(7), await ask(7), await ask(8)], [true, false, true]);
  clock.advance(60);
  assert.equal(await ask(7), true);
  const rows = await database.reader.selectFrom('limit_counts').select('key').execute();
  assert.equal(rows.length, 2, 'old periods leave nothing');
});

test('0 means no limit and runs no query', async () => {
  await using database = await testDatabase({ clock: testClock() });
  assert.equal(await checkApplicationLimit(database, { ...limit, limit: 0 }), null);
  assert.deepEqual(await database.reader.selectFrom('limit_counts').select('key').execute(), []);
});
