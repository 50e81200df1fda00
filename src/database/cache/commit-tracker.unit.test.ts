import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitTracker, findNewTransactions, parseSnapshot } from './commit-tracker.ts';
import { TableVersions } from './table-versions.ts';

const TABLES = { tables: new Set(['issues', 'users']), writtenByTriggers: new Map(), changedByReferences: new Map() };

function given() {
  const versions = new TableVersions(() => TABLES);
  const own = new CommitTracker(versions);
  const ends = (number: number | Promise<number>, ...tables: string[]) =>
    own.trackTransaction(new Set(tables), Promise.resolve(number));
  const follow = (earlier: string, later: string) =>
    own.recordNewTransactions(parseSnapshot(earlier), parseSnapshot(later));
  const unchanged = (table: string, commits: number) => versions.areUnchangedSince([table], commits);
  return { ends, follow, unchanged };
}

test('a later snapshot includes transactions that started or ended since the earlier one', () => {
  const between = (earlier: string, later: string) => findNewTransactions(parseSnapshot(later), parseSnapshot(earlier));
  assert.deepEqual(between('10:10:', '10:10:'), []);
  assert.deepEqual(between('10:10:', '13:13:'), [10, 11, 12]);
  assert.deepEqual(between('8:12:8,10', '10:14:10,13'), [8, 12]);
  assert.equal(between('10:10:', '100000:100000:'), null);
});

test('an own commit invalidates the tables that it wrote', async () => {
  const { ends, follow, unchanged } = given();
  await ends(10, 'issues');
  assert.equal(await follow('10:10:', '11:11:'), true);
  assert.deepEqual([unchanged('issues', 0), unchanged('users', 0), unchanged('issues', 1)], [false, true, true]);
});

test('does not recognise transactions that other processes committed or that failed', async () => {
  const { ends, follow } = given();
  await ends(10, 'issues');
  assert.equal(await follow('10:10:', '12:12:'), false);
  assert.equal(await follow('12:12:', '12:12:'), true);
});

test('waits for the result of an own commit that is visible earlier', async () => {
  const { ends, follow, unchanged } = given();
  const { promise, resolve } = Promise.withResolvers<number>();
  const ended = ends(promise, 'issues');
  const followed = follow('10:10:', '11:11:');
  resolve(10);
  await ended;
  assert.equal(await followed, true);
  assert.equal(unchanged('issues', 0), false);
});
