import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { isInScope, sortNearestFirst } from './scope.ts';

test('the scope of a deleted project or group is empty', async () => {
  await using database = await testDatabase();
  for (const table of ['labels', 'milestones'] as const) {
    for (const projectId of [null, 7]) {
      const found = database.reader
        .selectFrom(table)
        .select('id')
        .where(isInScope(table, { projectId, groupIds: [] }));
      assert.deepEqual(await found.execute(), []);
    }
  }
});

test('sorts rows of the project first, then those of the nearest groups', () => {
  const rows = [3, 5, null].map((group_id) => ({ group_id }));
  const sorted = sortNearestFirst({ projectId: 7, groupIds: [5, 3] }, rows);
  assert.deepEqual(
    sorted.map(({ group_id }) => group_id),
    [null, 5, 3],
  );
});
