import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import { migrate } from '../migrate.ts';
import { migrations } from './index.ts';

const NOW = '2026-01-02T03:04:05.678Z';

test('keeps to-do items and their ids, and never reuses the id of a deleted item', async () => {
  await using database = await testDatabase({ empty: true });
  const before = migrations.filter(({ name }) => name < '0130');
  await migrate(database, before);
  await database.transaction(async (tx) => {
    await sql`insert into users (username, username_key, name, name_key, email, email_key, projects_limit, created_at, updated_at)
      values ('ada', 'ada', 'Ada', 'ada', 'a@b.test', 'a@b.test', 0, ${NOW}, ${NOW})`.execute(tx);
    await sql`insert into namespaces (kind, path, name, name_key, visibility, created_at, updated_at)
      values ('group', 'g', 'g', 'g', 'public', ${NOW}, ${NOW})`.execute(tx);
    await sql`insert into epics (group_id, iid, title, title_key, state, author_id, confidential, color, dates_are_fixed, created_at, updated_at)
      values (1, 1, 'Epic', 'epic', 'opened', 1, false, '#000000', false, ${NOW}, ${NOW})`.execute(tx);
    for (const action of ['mentioned', 'marked', 'assigned']) {
      await sql`insert into todos (user_id, author_id, group_id, epic_id, action, created_at, updated_at)
        values (1, 1, 1, 1, ${action}, ${NOW}, ${NOW})`.execute(tx);
    }
    await sql`delete from todos where action in ('mentioned', 'assigned')`.execute(tx);
  });
  await migrate(database);
  const todo = { user_id: 1, author_id: 1, group_id: 1, epic_id: 1, note_id: null, created_at: NOW, updated_at: NOW };
  await database.transaction((tx) =>
    tx
      .insertInto('todos')
      .values({ ...todo, action: 'mentioned' })
      .execute(),
  );
  const rows = await database.reader.selectFrom('todos').select(['id', 'action', 'state']).orderBy('id').execute();
  assert.deepEqual(rows, [
    { id: 2, action: 'marked', state: 'pending' },
    { id: 4, action: 'mentioned', state: 'pending' },
  ]);
  await assert.rejects(
    database.transaction((tx) =>
      tx
        .insertInto('todos')
        .values({ ...todo, epic_id: null, action: 'marked' })
        .execute(),
    ),
    /todos_target/,
  );
});
