import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { migrate } from '../migrate.ts';
import { migrations } from './index.ts';

const NOW = '2026-01-02T03:04:05.678Z';

test('creates the namespaces of existing bots', async () => {
  await using database = await testDatabase({ empty: true });
  await migrate(
    database,
    migrations.filter(({ name }) => name < '0035'),
  );
  const moments = { created_at: NOW, updated_at: NOW };
  const user_id = await database.transaction(async (tx) => {
    const names = { username: 'Bot_1', username_key: 'bot_1', name: 'The Bot', name_key: 'the bot', projects_limit: 0 };
    const { id } = await tx
      .insertInto('users')
      .values({ ...names, email: 'b@x.test', email_key: 'b@x.test', bot: true, ...moments })
      .returning('id')
      .executeTakeFirstOrThrow();
    const place = { user_id: id, source_type: 'project', source_id: 1 } as const;
    await tx
      .insertInto('memberships')
      .values({ ...place, access_level: 40, ...moments })
      .execute();
    await tx.insertInto('token_bots').values(place).execute();
    return id;
  });
  await migrate(database);
  const row = await database.reader
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'namespaces.id')
    .where('owner_id', '=', user_id)
    .select(['kind', 'path', 'full_path_key', 'full_name', 'depth', 'namespaces.created_at'])
    .executeTakeFirst();
  const told = { kind: 'user', path: 'Bot_1', full_path_key: 'bot_1', full_name: 'The Bot', depth: 0, created_at: NOW };
  assert.deepEqual({ ...row }, told);
});
