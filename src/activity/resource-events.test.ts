import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCaller } from '#authentication/users/users.ts';
import { world } from '#test/support/world.ts';
import { listRecordedSince, markRecordedEvents } from './recorded-activity.ts';
import { DESCRIPTION_CHANGED_TEXT } from './system-notes.ts';

test('records states, milestones and system notes of an issue, and deletes them with it', async () => {
  const { project, owner, server } = await world({ project: {} });
  const { database, runUnitOfWork } = server.services;
  const { id } = (await owner.post(`${project.at}/issues`, { title: 'Loop' })).body;
  const milestoneId = await database.transaction(async (tx) => {
    const named = { title: 'v1', title_key: 'v1', project_id: project.id, iid: 1, state: 'active' } as const;
    const row = { ...named, created_at: tx.now, updated_at: tx.now };
    return (await tx.insertInto('milestones').values(row).returning('id').executeTakeFirstOrThrow()).id;
  });
  const mark = await markRecordedEvents(database.reader);
  const issue = { type: 'Issue', id } as const;
  await runUnitOfWork(await loadCaller(database.reader, owner.id, null), async (uow) => {
    await uow.record({ noteOn: issue, text: DESCRIPTION_CHANGED_TEXT });
    await uow.record({ milestoneOf: issue, milestoneId, change: 'add', state: 'opened' });
    await uow.record({ stateOf: issue, state: 'closed' });
  });
  assert.deepEqual(await listRecordedSince(database.reader, mark), [
    'state closed',
    'milestone add',
    'note description',
  ]);
  const tables = ['resource_state_events', 'resource_milestone_events', 'notes'] as const;
  const rowsOf = (table: (typeof tables)[number]) =>
    database.reader.selectFrom(table).selectAll().where('issue_id', '=', id).execute() as Promise<object[]>;
  const [state, milestone, note] = (await Promise.all(tables.map(rowsOf))).flat() as Record<string, unknown>[];
  assert.deepEqual([state?.user_id, state?.state, state?.source_commit], [owner.id, 'closed', null]);
  assert.deepEqual([milestone?.user_id, milestone?.milestone_id, milestone?.action], [owner.id, milestoneId, 'add']);
  assert.deepEqual([note?.author_id, note?.body, note?.system], [owner.id, 'changed the description', true]);
  await database.transaction((tx) => tx.deleteFrom('issues').where('id', '=', id).execute());
  assert.deepEqual((await Promise.all(tables.map(rowsOf))).flat(), []);
});
