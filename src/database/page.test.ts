import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import { watchReads } from '#test/support/statement-watch.ts';
import type { Database } from './database.ts';
import { getLongStatementKind } from './engines/long-statements.ts';
import { COUNT_LIMIT, paginate, paginateByKey, scanMatches } from './page.ts';

async function withCounters(database: Database, count: number, value = (i: number) => i): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => ({ name: String(i).padStart(6, '0'), value: value(i) }));
  await database.transaction(async (tx) => {
    for (let i = 0; i < rows.length; i += 500) {
      await tx
        .insertInto('counters')
        .values(rows.slice(i, i + 500))
        .execute();
    }
  });
}

test('a page contains its rows, the total, and whether more follow', async () => {
  await using database = await testDatabase();
  await withCounters(database, 5);
  const query = database.reader.selectFrom('counters').select('value').orderBy('name');
  const page = async (number: number) => {
    const { items, total, hasMore: more } = await paginate(database.reader, query, { page: number, perPage: 2 });
    return [items.map(({ value }) => value), total, more];
  };
  assert.deepEqual(await page(1), [[0, 1], 5, true]);
  assert.deepEqual(await page(3), [[4], 5, false]);
  assert.deepEqual(await page(4), [[], 5, false]);
});

test('scans which rows match, unless more match than the counting limit', async () => {
  await using database = await testDatabase();
  const counters = database.reader.selectFrom('counters');
  const look = () => scanMatches(database.reader, counters.select('value as id').where('value', '>', 1));
  const known = async () => {
    const { buildMatchCondition: isKnown, count } = await look();
    const rows =
      isKnown &&
      (await counters
        .select('value')
        .where(isKnown(sql.ref('value')))
        .orderBy('name')
        .execute());
    return [rows?.map(({ value }) => value), typeof count === 'function' && (await count(COUNT_LIMIT + 1))];
  };
  assert.deepEqual(await known(), [[], 0]);
  await withCounters(database, 4);
  assert.deepEqual(await known(), [[2, 3], 2]);
  const notFew = await scanMatches(database.reader, counters.select('value as id'), 3);
  assert.equal(notFew.buildMatchCondition, null);
  assert.equal(typeof notFew.count === 'function' && (await notFew.count(COUNT_LIMIT + 1)), 4);
  await database.transaction((tx) => tx.deleteFrom('counters').execute());
  await withCounters(database, COUNT_LIMIT + 3);
  assert.deepEqual(await known(), [undefined, COUNT_LIMIT + 1]);
});

test('an empty list has a single empty page', async () => {
  await using database = await testDatabase();
  const query = database.reader.selectFrom('counters').select('value');
  assert.deepEqual(await paginate(database.reader, query, { page: 1, perPage: 20 }), {
    items: [],
    total: 0,
    hasMore: false,
  });
});

test('has no next page if the list ends with the page', async () => {
  await using database = await testDatabase();
  await withCounters(database, 4);
  const query = database.reader.selectFrom('counters').select('value').orderBy('name');
  const { total, hasMore: more } = await paginate(database.reader, query, { page: 2, perPage: 2 });
  assert.deepEqual([total, more], [4, false]);
});

test('counting already loaded rows gives the same page', async () => {
  await using database = await testDatabase();
  await withCounters(database, 5);
  const query = database.reader.selectFrom('counters').select('value').orderBy('name');
  for (const page of [1, 2, 3, 4]) {
    const counted = await paginate(database.reader, query, { page, perPage: 2 }, 'countInPageQuery');
    assert.deepEqual(counted, await paginate(database.reader, query, { page, perPage: 2 }));
  }
});

test('counts distinct rows once', async () => {
  await using database = await testDatabase();
  await withCounters(database, 10, (i) => i % 3);
  const query = database.reader.selectFrom('counters').select('value').distinct().orderBy('value');
  assert.equal((await paginate(database.reader, query, { page: 1, perPage: 1 })).total, 3);
});

test('counting stops above the limit: the total is unknown, the next page is not', async () => {
  await using database = await testDatabase();
  await withCounters(database, COUNT_LIMIT);
  const query = database.reader.selectFrom('counters').select('value').orderBy('name');
  assert.equal((await paginate(database.reader, query, { page: 1, perPage: 1 })).total, COUNT_LIMIT);
  await database.transaction((tx) => tx.insertInto('counters').values({ name: 'z', value: 0 }).execute());
  const { total, hasMore: more } = await paginate(database.reader, query, { page: 2, perPage: 20 });
  assert.deepEqual([total, more], [null, true]);
  const last = await paginate(database.reader, query, { page: COUNT_LIMIT + 1, perPage: 1 });
  assert.deepEqual([last.items.length, last.total, last.hasMore], [1, null, false]);
});

test('keyset pages have no gaps or duplicates, in both directions, with equal values', async () => {
  await using database = await testDatabase();
  await withCounters(database, 7, (i) => i % 2);
  const query = database.reader.selectFrom('counters').select(['name', 'value']);
  for (const direction of ['asc', 'desc'] as const) {
    const seen: string[] = [];
    let after: { value: unknown; id: unknown } | undefined;
    for (let more = true; more; ) {
      const page = await paginateByKey(query, 'value', 'name', { direction, limit: 3, after });
      seen.push(...page.items.map(({ name, value }) => `${value}${name}`));
      const last = page.items.at(-1)!;
      after = { value: last.value, id: last.name };
      more = page.hasMore;
    }
    const whole = seen.toSorted();
    assert.deepEqual(seen, direction === 'asc' ? whole : whole.reverse());
    assert.equal(new Set(seen).size, 7);
  }
});

test('pages by id alone have no gaps or duplicates', async () => {
  await using database = await testDatabase();
  await withCounters(database, 4);
  const query = database.reader.selectFrom('counters').select('name').where(sql<boolean>`1 = 1`);
  const after = { value: '000001', id: '000001' };
  const page = await paginateByKey(query, 'name', 'name', { direction: 'asc', limit: 1, after });
  assert.deepEqual(page, { items: [{ name: '000002' }], hasMore: true });
});

test('a page of an index is long only with a large offset, or if it counts', async () => {
  await using database = await testDatabase();
  const kinds: unknown[] = [];
  const end = watchReads(database, (statement) => kinds.push(getLongStatementKind(statement)));
  const db = database.reader;
  const query = db.selectFrom('counters').select('name').orderBy('name');
  for (const page of [1, 99]) await paginate(db, query, { page, perPage: 20, isIndexed: true }, async () => 0);
  await paginate(db, query, { page: 100, perPage: 20, isIndexed: true }, async () => 0);
  await paginate(db, query, { page: 1, perPage: 20, isIndexed: true }, 'countInPageQuery');
  await paginate(db, query, { page: 1, perPage: 20 });
  end();
  assert.deepEqual(kinds, [null, null, 'list', 'list', 'list']);
});
