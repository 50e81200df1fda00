import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '#test/engines/engine.ts';
import type { Transaction } from '../database.ts';
import { migrate } from '../migrate.ts';
import { migrations } from './index.ts';

const NOW = '2026-01-02T03:04:05.678Z';

async function insertProject(tx: Transaction, path: string, visibility: string, topics: readonly string[]) {
  await sql`
    insert into projects (namespace_id, path, name, name_key, visibility, topics, last_activity_at, created_at, updated_at)
    values (1, ${path}, ${path}, ${path}, ${visibility}, ${JSON.stringify(topics)}, ${NOW}, ${NOW}, ${NOW})`.execute(
    tx,
  );
}

test('makes topics of the names that projects have, and counts the projects', async () => {
  await using database = await testDatabase({ empty: true });
  await migrate(
    database,
    migrations.filter(({ name }) => name < '0113'),
  );
  await database.transaction(async (tx) => {
    await sql`
      insert into namespaces (kind, path, name, name_key, visibility, created_at, updated_at)
      values ('group', 'g', 'g', 'g', 'public', ${NOW}, ${NOW})`.execute(tx);
    await insertProject(tx, 'a', 'public', ['Zeta', 'alpha', 'ALPHA']);
    await insertProject(tx, 'b', 'private', ['ALPHA', 'zeta']);
    await insertProject(tx, 'c', 'public', []);
  });
  await migrate(database);
  const topics = await database.reader
    .selectFrom('topics')
    .select(['name', 'title', 'project_count', 'shared_project_count', 'created_at'])
    .orderBy('id')
    .execute();
  const counts = { project_count: 2, shared_project_count: 1, created_at: NOW };
  assert.deepEqual(topics, [
    { name: 'Zeta', title: 'Zeta', ...counts },
    { name: 'alpha', title: 'alpha', ...counts },
  ]);
  const names = await database.reader
    .selectFrom('project_topics')
    .innerJoin('topics', 'topics.id', 'topic_id')
    .innerJoin('projects', 'projects.id', 'project_id')
    .select(['path', 'topics.name'])
    .orderBy('path')
    .orderBy('position')
    .execute();
  assert.deepEqual(
    names.map(({ path, name }) => `${path} ${name}`),
    ['a Zeta', 'a alpha', 'b alpha', 'b Zeta'],
  );
});
