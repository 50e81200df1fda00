import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESCRIPTION_CHANGED_TEXT } from '#activity/index.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { world } from '#test/support/world.ts';
import { listNoteBodies, newIssue } from './fixtures.testing.ts';

const { user, clock, server } = await world();

test('orders notes by creation or update time, newest first', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const ids: number[] = [];
  for (const body of ['one', 'two', 'three']) {
    clock.advance(60);
    ids.push((await owner.post(issue.notes, { body })).body.id);
  }
  assert.deepEqual(await listNoteBodies(owner, issue), ['three', 'two', 'one']);
  assert.deepEqual(await listNoteBodies(owner, issue, { sort: 'asc' }), ['one', 'two', 'three']);
  clock.advance(60);
  await owner.put(`${issue.notes}/${ids[0]}`, { body: 'one again' });
  assert.deepEqual(await listNoteBodies(owner, issue, { order_by: 'updated_at' }), ['one again', 'three', 'two']);
  const { body, headers } = await owner.get(issue.notes, { per_page: 2, page: 2 });
  assert.deepEqual([body.length, headers['x-total'], headers['x-prev-page']], [1, '3', '1']);
});

test('filters comments and system notes by activity_filter', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  await owner.post(issue.notes, { body: 'A comment' });
  const { database, runUnitOfWork } = server.services;
  await runUnitOfWork(await loadCaller(database.reader, owner.id, null), (uow) =>
    uow.record({ noteOn: { type: 'Issue', id: issue.id }, text: DESCRIPTION_CHANGED_TEXT }),
  );
  const filtered = (activity_filter: string) => listNoteBodies(owner, issue, { activity_filter });
  assert.deepEqual(await filtered('only_comments'), ['A comment']);
  assert.deepEqual(await filtered('only_activity'), ['changed the description']);
  assert.equal((await filtered('all_notes')).length, 2);
  const { body } = await owner.get(issue.notes, { activity_filter: 'none' });
  assert.deepEqual(body, { error: 'activity_filter does not have a valid value' });
  assert.equal((await owner.get(issue.at)).body.user_notes_count, 1);
});

test('restricts internal notes to Planners', async () => {
  const { project, guest, planner } = await world({ project: { with: ['guest', 'planner'] } });
  const issue = await newIssue(project);
  const refused = await guest.post(issue.notes, { body: 'Psst', internal: true });
  assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  const { body } = await planner.post(issue.notes, { body: 'Among us', confidential: true });
  assert.deepEqual([body.internal, body.confidential], [true, true]);
  await guest.post(issue.notes, { body: 'For all' });
  assert.deepEqual((await listNoteBodies(planner, issue)).sort(), ['Among us', 'For all']);
  const { body: seen, headers } = await guest.get(issue.notes);
  assert.deepEqual([seen.length, headers['x-total']], [1, '1']);
  assert.equal((await guest.get(`${issue.notes}/${body.id}`)).status, 404);
  assert.equal((await (await user()).get(`${issue.notes}/${body.id}`)).status, 404);
});

test('returns 404 for a note of another issue, an unknown one and an invalid id', async () => {
  const { project, owner } = await world({ project: {} });
  const [issue, other] = [await newIssue(project), await newIssue(project)];
  const { id } = (await owner.post(other.notes, { body: 'There' })).body;
  for (const wrong of [id, id + 1000]) {
    const answer = await owner.get(`${issue.notes}/${wrong}`);
    assert.deepEqual([answer.status, answer.body], [404, { message: '404 Not found' }]);
  }
  assert.deepEqual((await owner.get(`${issue.notes}/abc`)).body, { error: 'note_id is invalid' });
});
