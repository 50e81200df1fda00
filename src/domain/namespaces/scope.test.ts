import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { nearestFirst, within } from './scope.ts';

test('a place of which nothing is left reaches nothing', async () => {
  await using database = await testDatabase();
  for (const table of ['labels', 'milestones'] as const) {
    for (const projectId of [null, 7]) {
      const found = database.reader
        .selectFrom(table)
        .select('id')
        .where(within(table, { projectId, groupIds: [] }));
      assert.deepEqual(await found.execute(), []);
    }
  }
});

test('what is the project’s own is nearest, then what the group next to it has', () => {
  const rows = [3, 5, null].map((group_id) => ({ group_id }));
  const sorted = nearestFirst({ projectId: 7, groupIds: [5, 3] }, rows);
  assert.deepEqual(
    sorted.map(({ group_id }) => group_id),
    [null, 5, 3],
  );
});
