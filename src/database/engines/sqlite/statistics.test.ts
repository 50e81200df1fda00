import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type Database, openDatabase } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { engine, testPlace } from '#test/engines/engine.ts';
import { LONG_RUNNING } from '../long-statements.ts';
import { analyzeTables } from './sqlite.ts';

const skip = engine === 'sqlite' ? false : 'PostgreSQL gathers by itself';

/** Rows with a selective column `b` and an unselective `a`: only current statistics lead to the right index. */
async function fill(database: Database, from: number, to: number): Promise<void> {
  await database.transaction((tx) =>
    sql`with recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${to})
      insert into grown select i, i % 2, i from n`.execute(tx),
  );
}

async function indexOf(database: Database, end = sql``): Promise<string | undefined> {
  const plan = sql<{
    detail: string;
  }>`explain query plan select id from grown where a = 1 and b between 5 and 6 ${end}`;
  return /grown_by_\w/.exec((await plan.execute(database.reader)).rows[0]!.detail)?.[0];
}

test('updates the statistics of a grown database for each connection', { skip }, async () => {
  await using place = await testPlace();
  const database = await openDatabase({ ...place, clock: systemClock, largeDatabaseBytes: 1 });
  await database.transaction(async (tx) => {
    await sql`create table grown (id integer primary key, a integer, b integer)`.execute(tx);
    await sql`create index grown_by_a on grown (a)`.execute(tx);
    await sql`create index grown_by_b on grown (b)`.execute(tx);
  });
  assert.deepEqual(
    [await indexOf(database), await indexOf(database, LONG_RUNNING as never)],
    ['grown_by_a', 'grown_by_a'],
  );
  await fill(database, 0, 20_000);
  await database.updateStatistics();
  assert.deepEqual(
    [await indexOf(database), await indexOf(database, LONG_RUNNING as never)],
    ['grown_by_b', 'grown_by_b'],
  );
  const rows = async () =>
    (await sql<{ stat: string }>`select stat from sqlite_stat1 where idx = 'grown_by_b'`.execute(database.reader)).rows;
  const before = await rows();
  await fill(database, 20_000, 40_000);
  await database.updateStatistics();
  assert.deepEqual(await rows(), before, 'twice as many are looked at by the same plans');
  await fill(database, 40_000, 250_000);
  await database.updateStatistics();
  assert.notDeepEqual(await rows(), before);
  await assert.rejects(sql`delete from grown`.execute(database.reader), /read-?only/, 'a reader still writes nothing');
  await database.close();
});

test('opens a large database while another process writes', { skip }, async () => {
  await using place = await testPlace();
  const other = new DatabaseSync(join(place.dataDir, 'hearth.sqlite3'));
  other.exec(`insert into counters values ('one', 1); begin immediate`);
  const database = await openDatabase({ ...place, clock: systemClock, largeDatabaseBytes: 1 });
  const { value } = await database.reader.selectFrom('counters').select('value').executeTakeFirstOrThrow();
  assert.equal(value, 1);
  other.close();
  await database.close();
});

test('a reader cannot write while statistics wait for the write lock', { skip }, async () => {
  await using place = await testPlace();
  const file = `${place.dataDir}/statistics.sqlite`;
  const [writer, reader] = [new DatabaseSync(file), new DatabaseSync(file)];
  writer.exec('create table grown (a integer); create index grown_by_a on grown (a); insert into grown values (1)');
  reader.exec('pragma query_only = on');
  const refused = () => assert.throws(() => reader.exec('delete from grown'), /read-?only/);
  let turns = 0;
  const { hasAnalyzed } = await analyzeTables(writer, reader, async (_database, work) => {
    refused();
    work();
    refused();
    turns++;
  });
  assert.deepEqual([hasAnalyzed, turns], [true, 2]);
  for (const each of [writer, reader]) each.close();
});
