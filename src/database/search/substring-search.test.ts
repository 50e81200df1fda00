import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SqlBool, sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import type { Database } from '../database.ts';
import { runStatements } from '../ddl.ts';
import { explainPlan } from '../dialect.ts';
import { COMMON_THRESHOLD, hasManyMatches } from './common-substrings.ts';
import { containsSubstring, escapeLike, like } from './substring-search.ts';
import { wordIndex } from './trigrams.ts';
import { containsWords, selectCandidateIds } from './word-search.ts';

async function insert({ transaction }: Database, names: readonly string[]): Promise<number[]> {
  return transaction(async (tx) => {
    const row = { kind: 'group', owner_id: null, parent_id: null, description: '', visibility: 'private' } as const;
    const times = { created_at: tx.now, updated_at: tx.now };
    const values = names.map((name) => ({ ...row, ...times, path: name, name, name_key: name }));
    const made = await tx.insertInto('namespaces').values(values).returning('id').execute();
    return made.map(({ id }) => id);
  });
}

const query = ({ reader }: Pick<Database, 'reader'>, part: string) =>
  reader
    .selectFrom('namespaces')
    .select('name_key')
    .where(containsSubstring(reader, 'namespaces', 'name_key', part))
    .orderBy('id');

async function found(database: Database, part: string): Promise<string[]> {
  return (await query(database, part).execute()).map(({ name_key }) => name_key);
}

test('finds substrings with any characters', async () => {
  await using database = await testDatabase();
  await insert(database, ['blue whale', 'whaler "x"', '100% größe', '日本語の名前', 'a_b\\c']);
  const cases: [part: string, names: string[]][] = [
    ['whale', ['blue whale', 'whaler "x"']],
    ['Whale', []],
    ['e wha', ['blue whale']],
    ['r "x"', ['whaler "x"']],
    ['0% g', ['100% größe']],
    ['100_', []],
    ['%', ['100% größe']],
    ['öß', ['100% größe']],
    ['本語の', ['日本語の名前']],
    ['_b\\', ['a_b\\c']],
    ['whale or blue', []],
    ['*', []],
  ];
  for (const [part, names] of cases) assert.deepEqual(await found(database, part), names, part);
});

test('does not find changed and deleted texts', async () => {
  await using database = await testDatabase();
  const [first, second] = await insert(database, ['first text', 'second text']);
  await database.transaction(async (tx) => {
    await tx.updateTable('namespaces').set({ name_key: 'changed' }).where('id', '=', first!).execute();
    await tx.deleteFrom('namespaces').where('id', '=', second!).execute();
  });
  assert.deepEqual(await found(database, 'text'), []);
  assert.deepEqual(await found(database, 'hang'), ['changed']);
});

/** Paths and names as two columns that are searched together. */
const withWords = ({ reader }: Pick<Database, 'reader'>, words: readonly string[]) =>
  reader
    .selectFrom('namespaces')
    .select(['id', 'name_key'])
    .where(containsWords(reader, 'namespaces', ['path', 'description'], words))
    .orderBy('id');

/** Returns the ids that the index alone finds for these words, or null if it cannot. */
async function idsOfParts({ reader }: Database, words: readonly string[]): Promise<number[] | null> {
  const found = selectCandidateIds(reader, 'namespaces', ['path', 'description'], words);
  return found && (await found.execute(reader)).rows.map(({ id }) => id);
}

test('requires all words in the same one of several texts', async () => {
  await using database = await testDatabase();
  await insert(database, ['blue whale', 'whale', 'big "sea" 100%', 'abcd bcde']);
  await database.transaction(async (tx) => {
    await runStatements(tx, wordIndex('namespaces', 'path', 'description'));
    await tx.updateTable('namespaces').set({ description: 'blue sea' }).where('path', '=', 'whale').execute();
  });
  const cases: [words: string[], names: string[]][] = [
    [[], ['blue whale', 'whale', 'big "sea" 100%', 'abcd bcde']],
    [['whale'], ['blue whale', 'whale']],
    [['whale', 'blue'], ['blue whale']],
    [['sea', 'blue'], ['whale']],
    [['blue whale'], ['blue whale']],
    [['se', 'blue'], ['whale']],
    [['b', 'wh'], ['blue whale']],
    [['"sea"', '0%'], ['big "sea" 100%']],
    [['whale', 'x'], []],
    [['blue', 'AND'], []],
    [['bluea', 'sea'], []],
    [['ue s', 'blue'], ['whale']],
    // The text contains all trigrams of the word, but not the word.
    [['abcde'], []],
    [['abcd', 'bcde'], ['abcd bcde']],
  ];
  for (const [words, names] of cases) {
    const rows = await withWords(database, words).execute();
    assert.deepEqual(
      rows.map(({ name_key }) => name_key),
      names,
      words.join(' '),
    );
    const among = await idsOfParts(database, words);
    assert.ok(
      rows.every(({ id }) => among?.includes(id) ?? true),
      words.join(' '),
    );
  }
});

test('finds a word in a long text of its repeated parts, and not where its end is missing', async () => {
  await using database = await testDatabase();
  const [text, word] = ['a'.repeat(200_000), 'a'.repeat(300)];
  await insert(database, ['one']);
  await database.transaction(async (tx) => {
    await runStatements(tx, wordIndex('namespaces', 'path', 'description'));
    await tx.updateTable('namespaces').set({ description: text }).execute();
  });
  assert.equal((await withWords(database, [word]).execute()).length, 1);
  assert.equal((await withWords(database, [`${word}b`]).execute()).length, 0);
  assert.equal((await withWords(database, [word, 'x']).execute()).length, 0);
});

test('finds words anywhere in a long text, and not after the text changed', async () => {
  await using database = await testDatabase();
  await insert(database, ['long', 'other']);
  const find = async (...words: string[]) =>
    (await withWords(database, words).execute()).map(({ name_key }) => name_key);
  const write = (description: string) =>
    database.transaction((tx) =>
      tx.updateTable('namespaces').set({ description }).where('path', '=', 'long').execute(),
    );
  await database.transaction((tx) => runStatements(tx, wordIndex('namespaces', 'path', 'description')));
  await write(`first ${'filler '.repeat(10_000)} last`);
  assert.deepEqual(await find('first', 'last'), ['long']);
  assert.deepEqual(await find('other', 'last'), []);
  await write('short again');
  assert.deepEqual([await find('last'), await find('again', 'short')], [[], ['long']]);
  await database.transaction((tx) => tx.deleteFrom('namespaces').where('path', '=', 'long').execute());
  assert.deepEqual(await find('again'), []);
});

test('an index finds all words of three characters and more', async () => {
  await using database = await testDatabase();
  const plan = await database.transaction(async (tx) => {
    await runStatements(tx, wordIndex('namespaces', 'path', 'description'));
    return explainPlan(tx, withWords({ reader: tx }, ['blue', 'whale', 'x']).clearOrderBy());
  });
  assert.match(plan.join('\n'), /namespaces_path_description_trigrams/);
  // SQLite does not scan the table for long words.
  assert.doesNotMatch(plan.join('\n'), /SCAN namespaces\b(?! USING )/);
});

test('an index finds parts of three characters and more', async () => {
  await using database = await testDatabase();
  const plan = await database.transaction((tx) => explainPlan(tx, query({ reader: tx }, 'whale')));
  // The plans of SQLite name the virtual table, not the index.
  assert.match(plan.join('\n'), /namespaces_name_key_trigrams|VIRTUAL TABLE INDEX 0:M/);
});

test('finds nothing for a word longer than any name', async () => {
  await using database = await testDatabase();
  await insert(database, ['x'.repeat(255)]);
  const column = ({ reader }: Database, part: string) =>
    reader
      .selectFrom('namespaces')
      .select('id')
      .where((eb) => like(eb.ref('name_key'), `%${escapeLike(part)}%`));
  assert.equal((await column(database, 'x'.repeat(255)).execute()).length, 1);
  for (const part of [
    'x'.repeat(256),
    'x'.repeat(50_000),
    '%'.repeat(40_000),
    'é'.repeat(30_000),
    'x'.repeat(1_000_000),
  ]) {
    assert.deepEqual(await column(database, part).execute(), [], String(part.length));
    assert.deepEqual(await found(database, part), [], String(part.length));
  }
});

test('reports many matches if more names contain the part than the threshold plus the excluded names', async () => {
  await using database = await testDatabase();
  await database.transaction(async (tx) => {
    const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(COMMON_THRESHOLD + 3)})`;
    await sql`insert into namespaces (kind, path, name, name_key, description, visibility, created_at, updated_at)
      ${numbers} select 'group', 'p', '', 'common ' || i, '', 'private', '', '' from n`.execute(tx);
  });
  const fits = () => sql<SqlBool>`1 = 0`;
  const surely = (part: string, unfit: number | null) =>
    hasManyMatches(database.reader, 'namespaces', 'name_key', part, { matchesFilter: fits, excludedCount: unfit });
  assert.equal(await surely('common', 2), true);
  assert.equal(await surely('common', 3), false);
  assert.equal(await surely('common', null), false);
  assert.equal(await surely('ommon 1', 0), false);
});
