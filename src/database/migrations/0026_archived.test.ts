import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { migrate } from '../migrate.ts';
import { migrations } from './index.ts';

const NOW = '2026-01-02T03:04:05.678Z';

test('unarchives groups archived by their deletion mark, and keeps others archived', async () => {
  await using database = await testDatabase({ empty: true });
  await migrate(
    database,
    migrations.filter(({ name }) => name < '0026'),
  );
  await database.transaction(async (tx) => {
    for (const [name, marked_for_deletion_on] of [
      ['marked', '2026-01-02'],
      ['archived', null],
    ] as const) {
      const names = { path: name, name, name_key: name, description: '', visibility: 'private' } as const;
      const none = { owner_id: null, parent_id: null, name_before_deletion: null, path_before_deletion: null };
      const row = { kind: 'group', archived: true, marked_for_deletion_on, created_at: NOW, updated_at: NOW } as const;
      await tx
        .insertInto('namespaces')
        .values({ ...names, ...none, ...row })
        .execute();
    }
  });
  await migrate(database);
  const rows = database.reader.selectFrom('namespaces').select(['name', 'archived']).orderBy('id');
  assert.deepEqual(await rows.execute(), [
    { name: 'marked', archived: false },
    { name: 'archived', archived: true },
  ]);
});
