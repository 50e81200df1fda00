import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testPlace } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { openDatabase, type Transaction } from '../database.ts';
import { type Connection, StaleRead } from '../engines/engine.ts';
import { type Params, prepare } from '../prepare.ts';
import { CommitTracker } from './commit-tracker.ts';
import { createSnapshotTracker } from './snapshot-tracker.ts';
import { TableVersions } from './table-versions.ts';

const counter = prepare((db, value: Params<{ name: string }>) =>
  db.selectFrom('counters').select('value').where('name', '=', value('name')),
);

test('a prepared read never returns stale data after a commit of any process', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    const read = () => counter.first(database.reader, { name: 'n' });
    assert.equal(await read(), undefined);
    await database.transaction((tx) => tx.insertInto('counters').values({ name: 'n', value: 1 }).execute());
    assert.deepEqual(await read(), { value: 1 });
    assert.deepEqual(await read(), { value: 1 });
    await database.transaction((tx) => tx.updateTable('counters').set({ value: 2 }).where('name', '=', 'n').execute());
    assert.deepEqual(await read(), { value: 2 });
    if (database.engine === 'sqlite') {
      const stranger = new DatabaseSync(join(place.dataDir, 'hearth.sqlite3'));
      stranger.exec("update counters set value = 3 where name = 'n'");
      stranger.close();
      // Commits of another process are visible from the next event loop turn on.
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await read(), { value: 3 });
    }
  } finally {
    await database.close();
  }
});

test('a transaction reads its own writes', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    await database.transaction(async (tx) => {
      await tx.insertInto('counters').values({ name: 'n', value: 1 }).execute();
      assert.deepEqual(await counter.first(tx, { name: 'n' }), { value: 1 });
      await tx.updateTable('counters').set({ value: 2 }).where('name', '=', 'n').execute();
      assert.deepEqual(await counter.first(tx, { name: 'n' }), { value: 2 });
    });
  } finally {
    await database.close();
  }
});

test('the version changes after each commit, and only then', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    let [before, now] = [await database.forRequest().getVersion(), null as unknown];
    // On PostgreSQL commits in other databases of the server also change the version, so the check is repeated.
    for (let tries = 0; now !== before && tries < 100; tries++) {
      before = await database.forRequest().getVersion();
      await new Promise((resolve) => setImmediate(resolve));
      now = await database.forRequest().getVersion();
    }
    assert.equal(now, before);
    await database.transaction((tx) => tx.insertInto('counters').values({ name: 'n', value: 1 }).execute());
    assert.notEqual(await database.forRequest().getVersion(), before);
  } finally {
    await database.close();
  }
});

test('a commit on the embedded engine invalidates only the tables that it wrote', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    const write = (name: string) =>
      database.transaction((tx) => tx.insertInto('counters').values({ name, value: 1 }).execute());
    const settings = () => database.reader.selectFrom('application_settings').select('id').execute();
    await write('n');
    const [asked, again] = [await settings(), await settings()];
    assert.deepEqual(again, asked);
    const counted = await counter.first(database.reader, { name: 'n' });
    await write('m');
    if (database.engine === 'sqlite') assert.equal(await settings(), again, 'the same rows, not others like them');
    assert.notEqual(await counter.first(database.reader, { name: 'n' }), counted);
  } finally {
    await database.close();
  }
});

test('the next request uses cached reads until another server commits', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  const other = await openDatabase({ ...place, clock: testClock() });
  const write = (value: number) => (tx: Transaction) =>
    tx
      .insertInto('counters')
      .values({ name: 'n', value })
      .onConflict((c) => c.column('name').doUpdateSet({ value }))
      .execute();
  const read = () => counter.first(database.forRequest().reader, { name: 'n' });
  try {
    await other.transaction(write(1));
    assert.deepEqual(await read(), { value: 1 });
    // PostgreSQL snapshots also change with commits of other tests in other databases.
    const most = database.engine === 'sqlite' ? 1 : 50;
    let tries = 0;
    for (let before = await read(), after = await read(); before !== after; after = await read()) {
      assert.ok(++tries < most, 'the same row, not another one like it');
      before = after;
    }
    await other.transaction(write(2));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await read(), { value: 2 });
  } finally {
    await other.close();
    await database.close();
  }
});

test('a request reads its own writes', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  try {
    const current = database.forRequest();
    assert.equal(await counter.first(current.reader, { name: 'n' }), undefined);
    await current.transaction((tx) => tx.insertInto('counters').values({ name: 'n', value: 1 }).execute());
    assert.deepEqual(await counter.first(current.reader, { name: 'n' }), { value: 1 });
  } finally {
    await database.close();
  }
});

test('a cached read stays valid until one of its tables is written', async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: testClock() });
  const write = (name: string) =>
    database.transaction((tx) => tx.insertInto('counters').values({ name, value: 1 }).execute());
  const reads = async () => {
    const current = database.forRequest();
    await counter.first(current.reader, { name: 'n' });
    return current.getReadSet();
  };
  const holds = async (read: Awaited<ReturnType<typeof reads>>) => {
    await database.forRequest().getVersion();
    return read.isCurrent();
  };
  // On PostgreSQL commits in other databases of the server also invalidate reads, so the check is repeated.
  const everHolds = async (read: typeof reads) => {
    for (let tries = 0; tries < 100; tries++) if (await holds(await read())) return true;
    return false;
  };
  try {
    const before = await reads();
    await write('n');
    assert.equal(await holds(before), false);
    assert.ok(await everHolds(reads));
    let written = 0;
    const nothing = async () => {
      const current = database.forRequest();
      await current.getVersion();
      await write(String(++written));
      return current.getReadSet();
    };
    assert.ok(await everHolds(nothing));
  } finally {
    await database.close();
  }
});

/** Creates a snapshot tracker on a PostgreSQL connection with these responses. */
function followed(execute: Connection['execute']) {
  const versions = new TableVersions(() => undefined);
  return createSnapshotTracker(
    { execute },
    { versions, ownCommits: new CommitTracker(versions), ensureCatalog: () => undefined },
  );
}

test('a snapshot that arrives late does not replace a later one', async () => {
  const answers: ((now: string) => void)[] = [];
  const { openRequestConnection: connection } = followed(async () => {
    const now = await new Promise<string>((resolve) => answers.push(resolve));
    return { rows: [{ now }] };
  });
  const answer = async (version: unknown, index: number, now: string) => {
    answers[index]!(now);
    await version;
  };
  const read = () => {
    const request = connection(undefined, 'optimistic');
    request.execute({ sql: 'select', parameters: [] });
    return request.getVersion();
  };
  await answer(connection().getVersion(), 0, '10:10:');
  // Of each read the first answer is that of its statement.
  const [early, late] = [read(), read()];
  await answer(late, answers.length - 1, '12:12:');
  const { getReadSet } = connection();
  await answer(early, answers.length - 3, '11:11:');
  assert.equal(getReadSet().isCurrent(), true);
});

test('an optimistic read takes cached rows at once, and fails to verify after a commit of another process', async () => {
  let state = '10:10:';
  const follower = followed(async ({ sql }) => ({
    rows: [sql.includes('pg_current_snapshot') ? { now: state } : { read: state }],
  }));
  const statement = { sql: 'select', parameters: [] };
  for (const _again of [1, 2, 3]) await follower.openRequestConnection().execute(statement);
  const current = follower.openRequestConnection(undefined, 'optimistic');
  assert.deepEqual(current.execute(statement), { rows: [{ read: '10:10:' }] });
  await current.verify();
  state = '11:11:';
  const outdated = follower.openRequestConnection(undefined, 'optimistic');
  assert.deepEqual(outdated.execute(statement), { rows: [{ read: '10:10:' }] });
  await assert.rejects(async () => outdated.verify(), StaleRead);
  assert.deepEqual(await follower.openRequestConnection().execute(statement), { rows: [{ read: '11:11:' }] });
});

test('a failed statement is not cached', async () => {
  let asked = 0;
  const { openRequestConnection: connection } = followed(async ({ sql }) => {
    if (sql.includes('pg_current_snapshot')) return { rows: [{ now: 'a' }] };
    const first = ++asked === 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (first) throw new Error('away');
    return { rows: [{ asked }] };
  });
  const ask = () => connection().execute({ sql: 'select', parameters: [] });
  await assert.rejects(async () => ask());
  assert.deepEqual((await ask()).rows, [{ asked: 2 }]);
});
