import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#database/database.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { type ActivityEvent, recordActivity } from './activity-events.ts';

type Deed = ActivityEvent extends infer E
  ? E extends ActivityEvent
    ? Omit<E, 'projectId' | 'authorId'>
    : never
  : never;

const issue = { type: 'Issue', id: 88, iid: 3 } as const;
const mergeRequest = { type: 'MergeRequest', id: 90, iid: 4 } as const;
const milestone = { type: 'Milestone', id: 70, iid: 2 } as const;
const project = { type: 'Project' } as const;

// contract/activity.md, "What records an event": action, action_name, target_type, target_id, target_iid.
const deeds: [deed: Deed, ...row: (string | number | null)[]][] = [
  [{ action: 'created', target: issue }, 'created', 'opened', 'Issue', 88, 3],
  [{ action: 'closed', target: issue }, 'closed', 'closed', 'Issue', 88, 3],
  [{ action: 'reopened', target: issue }, 'reopened', 'opened', 'Issue', 88, 3],
  [{ action: 'created', target: mergeRequest }, 'created', 'opened', 'MergeRequest', 90, 4],
  [{ action: 'closed', target: mergeRequest }, 'closed', 'closed', 'MergeRequest', 90, 4],
  [{ action: 'reopened', target: mergeRequest }, 'reopened', 'opened', 'MergeRequest', 90, 4],
  [{ action: 'merged', target: mergeRequest }, 'merged', 'accepted', 'MergeRequest', 90, 4],
  [{ action: 'approved', target: mergeRequest }, 'approved', 'approved', 'MergeRequest', 90, 4],
  [{ action: 'created', target: milestone }, 'created', 'opened', 'Milestone', 70, 2],
  [{ action: 'closed', target: milestone }, 'closed', 'closed', 'Milestone', 70, 2],
  [{ action: 'reopened', target: milestone }, 'reopened', 'opened', 'Milestone', 70, 2],
  [{ action: 'destroyed', target: { type: 'Milestone' } }, 'destroyed', 'destroyed', 'Milestone', null, null],
  [{ action: 'commented', target: { type: 'Note', id: 5 } }, 'commented', 'commented on', 'Note', 5, 5],
  [{ action: 'commented', target: { type: 'DiffNote', id: 6 } }, 'commented', 'commented on', 'DiffNote', 6, 6],
  [{ action: 'created', target: project }, 'created', 'created', 'Project', 34, 34],
  [{ action: 'imported', target: project, importedFrom: 'none' }, 'created', 'imported', 'Project', 34, 34],
  [{ action: 'joined', target: project }, 'joined', 'joined', 'Project', 34, 34],
  [{ action: 'left', target: project }, 'left', 'left', 'Project', 34, 34],
  [{ action: 'expired', target: project }, 'expired', 'removed due to membership expiration from', 'Project', 34, 34],
];

test('stores each activity event with its action, action name and target', async () => {
  await using database = await testDatabase({ clock: testClock('2026-03-05T09:14:02.118Z') });
  await database.transaction(async (tx) => {
    for (const [deed] of deeds) await recordActivity(tx, { projectId: 34, authorId: 7, ...deed });
  });
  const rows = await database.reader.selectFrom('activity_events').selectAll().orderBy('id').execute();
  assert.deepEqual(
    rows.map((row) => [row.action, row.action_name, row.target_type, row.target_id, row.target_iid]),
    deeds.map(([, ...row]) => row),
  );
  for (const row of rows) {
    assert.equal(row.project_id, 34);
    assert.equal(row.author_id, 7);
    assert.equal(row.imported_from, 'none');
    assert.equal(row.push_action, null);
    assert.equal(row.created_at, '2026-03-05T09:14:02.118Z');
  }
});

test('an imported project has an event that names its source', async () => {
  await using database = await testDatabase();
  await database.transaction((tx) =>
    recordActivity(tx, {
      projectId: 34,
      authorId: 7,
      action: 'imported',
      target: project,
      importedFrom: 'gitlab_migration',
    }),
  );
  const row = await database.reader.selectFrom('activity_events').select('imported_from').executeTakeFirst();
  assert.equal(row?.imported_from, 'gitlab_migration');
});

test('an event that is rolled back is not recorded', async () => {
  await using database = await testDatabase();
  const work = database.transaction(async (tx) => {
    await recordActivity(tx, { projectId: 34, authorId: 7, action: 'closed', target: issue });
    throw new Error('the close failed');
  });
  await assert.rejects(work, /the close failed/);
  assert.deepEqual(await database.reader.selectFrom('activity_events').select('id').execute(), []);
});

test('an event updates the last activity of its project only if that is more than an hour old', async () => {
  const clock = testClock('2026-03-05T09:00:00.000Z');
  await using database = await testDatabase({ clock });
  const [busy, quiet] = [await makeProject(database, 'busy'), await makeProject(database, 'quiet')];
  const close = (projectId: number) =>
    database.transaction((tx) => recordActivity(tx, { projectId, authorId: 7, action: 'closed', target: issue }));

  clock.advance(3600);
  await close(busy);
  assert.equal(await lastActivity(database, busy), '2026-03-05T09:00:00.000Z');

  clock.advance(1);
  await close(busy);
  assert.equal(await lastActivity(database, busy), '2026-03-05T10:00:01.000Z');
  assert.equal(await lastActivity(database, quiet), '2026-03-05T09:00:00.000Z');
});

async function makeProject(database: Database, path: string): Promise<number> {
  return database.transaction(async (tx) => {
    const named = { path, name: path, name_key: path, created_at: tx.now, updated_at: tx.now } as const;
    const group = await tx
      .insertInto('namespaces')
      .values({ ...named, kind: 'group', description: '', visibility: 'private' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id } = await tx
      .insertInto('projects')
      .values({ ...named, namespace_id: group.id, visibility: 'private', last_activity_at: tx.now })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
}

async function lastActivity({ reader }: Database, id: number): Promise<string> {
  const row = await reader
    .selectFrom('projects')
    .select('last_activity_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.last_activity_at;
}
