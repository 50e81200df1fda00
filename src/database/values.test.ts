import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import { getViolatedUniqueIndex } from './constraint-violations.ts';
import { type Database, DatabaseUnavailable, openDatabase, type Reader } from './database.ts';
import { ddl, runStatements } from './ddl.ts';
import { toZeroOrOne } from './dialect.ts';
import { migrate } from './migrate.ts';
import { escapeLike, like } from './search/substring-search.ts';

interface Things {
  things: { id?: number; flag: boolean | null; size: number; name: string; name_key: string; ratio: number | null };
}

async function withThings(database: Database): Promise<Kysely<Things>> {
  await migrate(database, [
    {
      name: '0001_things',
      up: (tx) =>
        runStatements(
          tx,
          ddl`
            create table things (
              id id,
              flag boolean default false,
              size integer not null,
              name text not null,
              name_key text not null,
              ratio real
            );
            create unique index things_by_name on things (name_key, size);
          `,
        ),
    },
  ]);
  return database.reader as unknown as Kysely<Things>;
}

function write<T>(database: Database, work: (db: Kysely<Things>) => Promise<T>): Promise<T> {
  return database.transaction((tx) => work(tx as unknown as Kysely<Things>));
}

const thing = { flag: true, size: 1, name: 'A', name_key: 'a', ratio: null };

test('reads booleans, big integers, fractions, text and null as written, in plain objects', async () => {
  await using database = await testDatabase({ empty: true });
  const db = await withThings(database);
  const rows = [
    { flag: true, size: 2 ** 53 - 1, name: '5', name_key: 'Ünï ☃', ratio: 0.5 },
    { flag: false, size: -1, name: '', name_key: '%_\\', ratio: 3 },
    { flag: null, size: 0, name: "'; --", name_key: '"', ratio: null },
  ];
  await write(database, (tx) => tx.insertInto('things').values(rows).execute());
  const back = await db.selectFrom('things').selectAll().orderBy('id').execute();
  assert.deepEqual(
    back,
    rows.map((row, i) => ({ id: i + 1, ...row })),
  );
});

test('repeated statements return equal rows', async () => {
  await using database = await testDatabase({ empty: true });
  const db = await withThings(database);
  const rows = [
    thing,
    { ...thing, flag: false, name: 'B', name_key: 'b', ratio: 0.5 },
    { ...thing, flag: null, name_key: 'c' },
  ];
  await write(database, (tx) => tx.insertInto('things').values(rows).execute());
  const ask = () => db.selectFrom('things').selectAll().select('name as its "own" name').orderBy('id').execute();
  const first = await ask();
  for (let asked = 0; asked < 30; asked++) {
    await write(database, (tx) => tx.updateTable('things').set({ size: asked }).execute());
    await ask();
  }
  await write(database, (tx) => tx.updateTable('things').set({ size: 1 }).execute());
  assert.deepEqual(await ask(), first);
});

test('a number put into a text column is written without a fraction', async () => {
  await using database = await testDatabase({ empty: true });
  const db = await withThings(database);
  await write(database, (tx) =>
    tx
      .insertInto('things')
      .values({ ...thing, name: 5 as never })
      .execute(),
  );
  assert.deepEqual(await db.selectFrom('things').select('name').execute(), [{ name: '5' }]);
});

test('booleans read as booleans through joins, subqueries and returning', async () => {
  await using database = await testDatabase({ empty: true });
  const db = await withThings(database);
  const added = await write(database, (tx) => tx.insertInto('things').values(thing).returning('flag as on').execute());
  assert.deepEqual(added, [{ on: true }]);
  const joined = await db
    .selectFrom((eb) => eb.selectFrom('things').select(['id', 'flag as inner']).as('a'))
    .innerJoin('things as b', 'b.id', 'a.id')
    .select(['a.inner', 'b.flag'])
    .where('b.flag', '=', true)
    .execute();
  assert.deepEqual(joined, [{ inner: true, flag: true }]);
});

test('counts and sums are numbers, and truth() is 1 or 0', async () => {
  await using database = await testDatabase({ empty: true });
  const db = await withThings(database);
  await write(database, (tx) =>
    tx
      .insertInto('things')
      .values([thing, { ...thing, name_key: 'b', size: 5 }])
      .execute(),
  );
  const row = await db
    .selectFrom('things')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.fn.sum<number>('size').as('sum'),
      toZeroOrOne(eb.exists(eb.selectFrom('things').select('id').where('size', '=', 9))).as('nine'),
    ])
    .executeTakeFirst();
  assert.deepEqual(row, { count: 2, sum: 6, nine: 0 });
});

test('never reuses the id of a deleted last row', async () => {
  await using database = await testDatabase({ empty: true });
  await withThings(database);
  const addAndDelete = () =>
    write(database, async (tx) => {
      const { id } = await tx.insertInto('things').values(thing).returning('id').executeTakeFirstOrThrow();
      await tx.deleteFrom('things').execute();
      return id;
    });
  assert.deepEqual([await addAndDelete(), await addAndDelete()], [1, 2]);
});

test('counts affected rows', async () => {
  await using database = await testDatabase({ empty: true });
  await withThings(database);
  const counts = await write(database, async (tx) => {
    await tx
      .insertInto('things')
      .values([thing, { ...thing, size: 2 }])
      .execute();
    const { numUpdatedRows } = await tx.updateTable('things').set({ name: 'B' }).executeTakeFirst();
    const { numDeletedRows } = await tx.deleteFrom('things').where('size', '=', 2).executeTakeFirst();
    return [numUpdatedRows, numDeletedRows];
  });
  assert.deepEqual(counts, [2n, 1n]);
});

test('text is sorted by code point', async () => {
  await using database = await testDatabase({ empty: true });
  const db = await withThings(database);
  const names = ['b', 'B', 'a', 'é', 'Z', '_', '-'];
  await write(database, (tx) =>
    tx
      .insertInto('things')
      .values(names.map((name) => ({ ...thing, name, name_key: name })))
      .execute(),
  );
  const sorted = await db.selectFrom('things').select('name').orderBy('name').execute();
  assert.deepEqual(
    sorted.map(({ name }) => name),
    ['-', 'B', 'Z', '_', 'a', 'b', 'é'],
  );
});

test('an escaped LIKE pattern matches only the text itself', async () => {
  await using database = await testDatabase({ empty: true });
  const db = await withThings(database);
  const keys = ['100%', '1000', 'a_b', 'axb', 'c\\d', 'cd'];
  await write(database, (tx) =>
    tx
      .insertInto('things')
      .values(keys.map((name_key) => ({ ...thing, name_key })))
      .execute(),
  );
  const found = async (text: string) =>
    (
      await db
        .selectFrom('things')
        .select('name_key')
        .where((eb) => like(eb.ref('name_key'), `%${escapeLike(text)}%`))
        .execute()
    ).map((row) => row.name_key);
  assert.deepEqual(await found('0%'), ['100%']);
  assert.deepEqual(await found('a_b'), ['a_b']);
  assert.deepEqual(await found('c\\d'), ['c\\d']);
});

test('a unique violation names its index on both engines; other failures name none', async () => {
  await using database = await testDatabase({ empty: true });
  await withThings(database);
  const failure = (row: object) =>
    write(database, async (tx) => {
      await tx.insertInto('things').values(thing).execute();
      await tx
        .insertInto('things')
        .values(row as Things['things'])
        .execute();
    }).catch((error: unknown) => error);
  assert.equal(getViolatedUniqueIndex(await failure(thing)), 'things_by_name');
  assert.equal(getViolatedUniqueIndex(await failure({ ...thing, size: null })), null);
  assert.equal(getViolatedUniqueIndex(new Error('no')), null);
});

test('a reader supports common table expressions', async () => {
  await using database = await testDatabase();
  const db: Reader = database.reader;
  const row = await db
    .with('numbers', (query) => query.selectNoFrom(sql<number>`1`.as('one')))
    .selectFrom('numbers')
    .select('one')
    .executeTakeFirstOrThrow();
  assert.equal(row.one, 1);
});

test('reports an unreachable database as unavailable, for reads and writes', async () => {
  const url = 'postgres://nobody@127.0.0.1:1/none';
  const database = await openDatabase({ url, dataDir: '/nonexistent', clock: { now: () => new Date(0) } });
  await assert.rejects(database.reader.selectFrom('background_jobs').select('id').execute(), DatabaseUnavailable);
  await assert.rejects(
    database.transaction(async () => {}),
    DatabaseUnavailable,
  );
  await database.close();
});
