import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { recordActivity } from './activity-events.ts';
import { deleteAuthorActivity, deleteProjectActivity, deleteTargetActivity, insertActivity } from './store.ts';

test('deleting comments deletes the events of all their types, and no others with the same id', async () => {
  await using database = await testDatabase();
  await recordSome(database);
  await database.transaction((tx) => deleteTargetActivity(tx, 'Note', [5, 6]));
  assert.deepEqual(await left(database), ['created Issue 5', 'destroyed Milestone null', 'joined Project 35']);
});

test('deleting a milestone keeps its destroyed event', async () => {
  await using database = await testDatabase();
  await recordSome(database);
  await database.transaction(async (tx) => {
    const milestone = { type: 'Milestone', id: 9, iid: 1 } as const;
    await recordActivity(tx, { projectId: 34, authorId: 7, action: 'created', target: milestone });
    await deleteTargetActivity(tx, 'Milestone', [9]);
  });
  assert.equal((await left(database)).filter((name) => name.includes('Milestone')).join(), 'destroyed Milestone null');
});

test('deleting a project or a user deletes their events', async () => {
  await using database = await testDatabase();
  await recordSome(database);
  await database.transaction((tx) => deleteAuthorActivity(tx, 8));
  assert.equal((await left(database)).includes('joined Project 35'), false);
  await database.transaction((tx) => deleteProjectActivity(tx, 34));
  assert.deepEqual(await left(database), []);
});

const plans: [index: string, query: (db: Reader) => { compile(): { sql: string; parameters: readonly unknown[] } }][] =
  [
    [
      'activity_events_by_project',
      (db) => activity(db).where('project_id', '=', 34).orderBy('created_at', 'desc').orderBy('id', 'desc'),
    ],
    [
      'activity_events_by_author',
      (db) => activity(db).where('author_id', '=', 7).orderBy('created_at', 'desc').orderBy('id', 'desc'),
    ],
    [
      'activity_events_by_created_at',
      (db) => activity(db).where('created_at', '<=', '2023-03-04T00:00:00.000Z').orderBy('created_at').orderBy('id'),
    ],
    [
      'activity_events_by_target',
      (db) => activity(db).where('target_id', 'in', [5, 6]).where('target_type', '=', 'Note'),
    ],
    [
      'audit_events_by_entity',
      (db) => audit(db).where('entity_type', '=', 'Project').where('entity_id', '=', 34).orderBy('id', 'desc'),
    ],
    ['audit_events_by_kind', (db) => audit(db).where('entity_type', '=', 'Project').orderBy('id', 'desc')],
    [
      'audit_events_by_author',
      (db) =>
        audit(db)
          .where('author_id', '=', 7)
          .where('entity_type', '=', 'Project')
          .where('entity_id', '=', 34)
          .orderBy('id', 'desc'),
    ],
    ['audit_events_by_created_at', (db) => audit(db).where('created_at', '>=', '2026-01-01T00:00:00.000Z')],
  ];

for (const [index, query] of plans) {
  test(`the index ${index} serves its reads`, async () => {
    await using database = await testDatabase();
    await recordMany(database);
    const plan = await database.transaction((tx) => explainPlan(tx, query(tx)));
    assert.match(plan.join('\n'), new RegExp(`\\b${index}\\b`));
  });
}

const activity = (db: Reader) => db.selectFrom('activity_events').selectAll().limit(21);
const audit = (db: Reader) => db.selectFrom('audit_events').selectAll().limit(21);

async function recordSome(database: Database): Promise<void> {
  const mine = { projectId: 34, authorId: 7 };
  await database.transaction(async (tx) => {
    await recordActivity(tx, { ...mine, action: 'created', target: { type: 'Issue', id: 5, iid: 1 } });
    await recordActivity(tx, { ...mine, action: 'commented', target: { type: 'Note', id: 5 } });
    await recordActivity(tx, { ...mine, action: 'commented', target: { type: 'DiffNote', id: 6 } });
    await recordActivity(tx, { ...mine, action: 'destroyed', target: { type: 'Milestone' } });
    await recordActivity(tx, { projectId: 35, authorId: 8, action: 'joined', target: { type: 'Project' } });
  });
}

/** So many that an index costs more where it is read from end to end: of an empty table any one costs the same. */
async function recordMany(database: Database): Promise<void> {
  const said = { author_id: 7, action: 'commented', action_name: 'commented on', target_type: 'Note' } as const;
  const events = Array.from({ length: 500 }, (_, index) => ({ ...said, target_id: index }));
  await database.transaction((tx) => insertActivity(tx, 34, events));
}

async function left({ reader }: Database): Promise<string[]> {
  const rows = await reader.selectFrom('activity_events').selectAll().orderBy('id').execute();
  return rows.map(({ action, target_type, target_id }) => `${action} ${target_type} ${target_id}`);
}
