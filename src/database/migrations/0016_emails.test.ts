import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { migrate } from '../migrate.ts';
import { migrations } from './index.ts';

const NOW = '2026-01-02T03:04:05.678Z';

test('folds existing addresses like new ones', async () => {
  await using database = await testDatabase({ empty: true });
  const before = migrations.filter(({ name }) => name < '0016');
  await migrate(database, before);
  const moments = { created_at: NOW, updated_at: NOW };
  await database.transaction(async (tx) => {
    const names = { username: 'mira', username_key: 'mira', name: 'Mira', name_key: 'mira', projects_limit: 0 };
    const { id: user_id } = await tx
      .insertInto('users')
      .values({ ...names, email: 'Mira@x.test', email_key: 'mira@x.test', ...moments })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [email, taken_key] of [
      ['Mira@x.test', 'mira@x.test'],
      ['ÉMILE@x.test', null],
    ] as const) {
      // The column is not there yet.
      const row = { user_id, email, taken_key, confirmed_at: null, ...moments } as never;
      await tx.insertInto('emails').values(row).execute();
    }
  });
  await migrate(database);
  const rows = database.reader.selectFrom('emails').select(['email', 'address_key']).orderBy('id');
  assert.deepEqual(await rows.execute(), [
    { email: 'Mira@x.test', address_key: 'mira@x.test' },
    { email: 'ÉMILE@x.test', address_key: 'émile@x.test' },
  ]);
});
