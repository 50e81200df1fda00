import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { formatTableTypes } from '../../scripts/table-types.ts';

test('tables.ts has the types of the tables of a migrated database (`npm run tables`)', async () => {
  await using database = await testDatabase();
  const text = await readFile(join(import.meta.dirname, 'tables.ts'), 'utf8');
  assert.equal(await formatTableTypes(database.reader, text), text);
});
