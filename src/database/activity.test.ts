import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engine, testDatabase } from '#test/engines/engine.ts';
import { LONG_RUNNING, SCANS_TEXTS } from './engines/long-statements.ts';

test('counts statements outside of transactions by kind, with their time', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const { totals } = database.activity;
  const counts = () => ({ read: totals.read.count, list: totals.list.count, scan: totals.scan.count });
  const before = counts();
  await database.reader.selectFrom('schedules').select('name').execute();
  await database.reader.selectFrom('schedules').select('name').modifyEnd(LONG_RUNNING).execute();
  await database.reader.selectFrom('schedules').select('name').modifyEnd(SCANS_TEXTS).execute();
  assert.deepEqual(counts(), { read: before.read + 1, list: before.list + 1, scan: before.scan + 1 });
  assert.ok(totals.read.seconds > 0);
});

test('counts transactions, those that fail too, and shows which are open', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const { activity } = database;
  const before = activity.totals.transaction.count;
  await database.transaction(async (tx) => {
    await tx.selectFrom('schedules').select('name').execute();
    assert.deepEqual([activity.openTransactions, activity.waitingTransactions], [1, 0]);
  });
  await assert.rejects(database.transaction(async () => assert.fail('rolled back')));
  assert.equal(activity.totals.transaction.count, before + 2);
  assert.equal(activity.totals.wait.count >= 2, true);
  assert.deepEqual([activity.openTransactions, activity.waitingTransactions], [0, 0]);
});

test('counts the statements that the cache of query results answers', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const names = () => database.forRequest().reader.selectFrom('schedules').select('name').execute();
  for (let run = 0; run < 3; run++) await names();
  const { hits, misses } = database.cacheCounts;
  assert.deepEqual([hits >= 1, misses >= 1], [true, true]);
  await names();
  assert.equal(database.cacheCounts.hits, hits + 1);
});

test('shows the connections to PostgreSQL, and none on SQLite', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  await database.reader.selectFrom('schedules').select('name').execute();
  const connections = database.getConnections();
  if (engine === 'sqlite') assert.equal(connections, null);
  else assert.deepEqual([connections?.used, connections?.waiting], [0, 0]);
});
