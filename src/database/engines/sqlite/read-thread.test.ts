import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase, type Reader } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { engine, testPlace } from '#test/engines/engine.ts';
import { LONG_RUNNING } from '../long-statements.ts';

const skip = engine === 'postgres' ? 'PostgreSQL has processes of its own' : false;

/** A database that counts as large from its first byte on. */
async function largeDatabase() {
  const place = await testPlace();
  const database = await openDatabase({ ...place, clock: systemClock, largeDatabaseBytes: 0 });
  const close = async () => {
    await database.close();
    await place.remove();
  };
  return { database, [Symbol.asyncDispose]: close };
}

const countTo = (db: Reader, most: number) =>
  sql<{ count: number }>`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most})
    select count(*) as count from n ${LONG_RUNNING}`.execute(db);

test('a long statement of a large database does not delay others', { skip }, async () => {
  await using given = await largeDatabase();
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { rows } = await countTo(given.database.reader, 300_000);
  clearInterval(timer);
  assert.deepEqual(rows, [{ count: 300_000 }]);
  assert.ok(turns > 1, `${turns} turns`);
});

test('reads committed rows of the same form', { skip }, async () => {
  await using given = await largeDatabase();
  const { database } = given;
  const flags = () =>
    database.reader.selectFrom('feature_flags').select(['name', 'on_for_all']).modifyEnd(LONG_RUNNING);
  assert.deepEqual(await flags().execute(), []);
  const row = { name: 'a', on_for_all: true, actors: '[]', feature_groups: '[]', updated_at: '' };
  await database.transaction((tx) => tx.insertInto('feature_flags').values(row).execute());
  assert.deepEqual(await flags().execute(), [{ name: 'a', on_for_all: true }]);
});

test('the number of event listeners does not grow with the statements of a thread', { skip }, async () => {
  await using given = await largeDatabase();
  const warnings: string[] = [];
  const warned = ({ message }: Error) => warnings.push(message);
  process.on('warning', warned);
  for (let i = 0; i < 15; i++) await countTo(given.database.reader, 10 + i);
  await new Promise(setImmediate);
  process.off('warning', warned);
  assert.deepEqual(warnings, []);
});

test('a statement that fails in the thread fails for the caller, and the next one succeeds', { skip }, async () => {
  await using given = await largeDatabase();
  const { reader } = given.database;
  await assert.rejects(sql`select * from nowhere ${LONG_RUNNING}`.execute(reader), /no such table/);
  await assert.rejects(sql`delete from background_jobs ${LONG_RUNNING}`.execute(reader), /readonly/);
  assert.deepEqual((await countTo(reader, 2)).rows, [{ count: 2 }]);
});
