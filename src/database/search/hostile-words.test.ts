import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { runStatements } from '../ddl.ts';
import { wordIndex } from './trigrams.ts';
import { containsWords, containsWordsUnindexed } from './word-search.ts';

test('the time of a search grows linearly with the length of the texts, for any content', async () => {
  await using database = await testDatabase();
  await database.transaction(async (tx) => {
    const row = { kind: 'group', owner_id: null, parent_id: null, visibility: 'private' } as const;
    const times = { created_at: tx.now, updated_at: tx.now };
    const values = ['one', 'two'].map((path) => ({
      ...row,
      ...times,
      path,
      name: path,
      name_key: path,
      description: '',
    }));
    await tx.insertInto('namespaces').values(values).execute();
    await runStatements(tx, wordIndex('namespaces', 'path', 'description'));
    await tx
      .updateTable('namespaces')
      .set({ description: 'a'.repeat(2 ** 20) })
      .execute();
  });
  const part = 'a'.repeat(500);
  const begun = performance.now();
  for (const word of [`${part}b${part}`, `b${part}${part}`, `${part}${part}b`]) {
    for (const contains of [containsWords, containsWordsUnindexed]) {
      const condition = contains(database.reader, 'namespaces', ['path', 'description'], [word]);
      assert.deepEqual(await database.reader.selectFrom('namespaces').select('id').where(condition).execute(), []);
    }
  }
  // Twelve mebibytes, which took PostgreSQL 20 s.
  assert.ok(performance.now() - begun < 15_000, `${Math.round(performance.now() - begun)} ms`);
});
