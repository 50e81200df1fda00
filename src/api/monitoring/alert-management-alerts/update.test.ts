import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createTestIntegration, listAlertNoteTexts } from '../alerts/fixtures.testing.ts';

/** A project with an alert, and a developer who looks at it. */
async function oneAlert() {
  const here = await world({ project: { with: ['developer', 'reporter'] } });
  const { notify } = await createTestIntegration(here, here.project);
  await notify({ title: 'Disk', fingerprint: 'disk' });
  const at = `${here.project.at}/alert_management_alerts`;
  const put = (params: object, iid = 1) => here.developer.put(`${at}/${iid}`, { ...params });
  const noteTexts = async () => (await listAlertNoteTexts(here, here.project)).slice(1);
  return { ...here, at, put, noteTexts, notify };
}

test('changes any status to any other, and sets the end time only while resolved', async () => {
  const { put, clock, noteTexts, developer } = await oneAlert();
  for (const status of ['acknowledged', 'resolved', 'ignored', 'triggered', 'resolved'] as const) {
    const { body } = await put({ status });
    assert.equal(body.status, status);
    assert.equal(body.ended_at, status === 'resolved' ? clock.now().toISOString() : null);
    assert.equal(body.payload.title, 'Disk');
  }
  const before = clock.now().toISOString();
  clock.advance(60_000);
  const again = await put({ status: 'resolved' });
  assert.deepEqual([again.body.ended_at, again.body.updated_at], [before, before]);
  const by = `1 ${developer.username} changed the status to`;
  assert.deepEqual(await noteTexts(), [
    `${by} **Acknowledged**`,
    `${by} **Resolved**`,
    `${by} **Ignored**`,
    `${by} **Triggered**`,
    `${by} **Resolved**`,
  ]);
});

test('a resolved alert stays so while another one is open that is alike', async () => {
  const { put, notify, noteTexts } = await oneAlert();
  await put({ status: 'resolved' });
  await notify({ fingerprint: 'disk' });
  const count = (await noteTexts()).length;
  const { status, body } = await put({ status: 'acknowledged', assignee_ids: [] });
  assert.equal(status, 409);
  const message =
    'An alert with the same fingerprint is already open. To change the status of this alert, resolve the linked alert.';
  assert.deepEqual(body, { message });
  assert.equal((await noteTexts()).length, count);
  await put({ status: 'resolved' }, 2);
  assert.equal((await put({ status: 'triggered' })).status, 200);
});

test('assigns only the first given user, and can clear the assignee', async () => {
  const { put, noteTexts, developer, owner } = await oneAlert();
  const assignees = async (params: object) =>
    (await put(params)).body.assignees.map(({ username }: { username: string }) => username);
  assert.deepEqual(await assignees({ assignee_usernames: [developer.username, owner.username] }), [developer.username]);
  assert.deepEqual(await assignees({ assignee_ids: `${developer.id}` }), [developer.username]);
  assert.deepEqual(await assignees({ assignee_ids: [owner.id] }), [owner.username]);
  assert.deepEqual(await assignees({ status: 'acknowledged' }), [owner.username]);
  assert.deepEqual(await assignees({ assignee_usernames: [] }), []);
  const by = `1 ${developer.username}`;
  assert.deepEqual(await noteTexts(), [
    `${by} assigned to @${developer.username}`,
    `${by} assigned to @${owner.username}`,
    `${by} unassigned @${developer.username}`,
    `${by} changed the status to **Acknowledged**`,
    `${by} unassigned @${owner.username}`,
  ]);
});

test('changes nothing if the assignee cannot see the alert', async () => {
  const { put, noteTexts, at, reporter, developer } = await oneAlert();
  for (const wrong of [
    { assignee_ids: [reporter.id] },
    { assignee_ids: [999_999] },
    { assignee_usernames: ['nobody-at-all'] },
    { assignee_usernames: ['ghost'] },
  ]) {
    const { status, body } = await put({ ...wrong, status: 'resolved' });
    assert.deepEqual([status, body], [400, { message: 'Assignee has no permissions' }]);
  }
  assert.deepEqual(await noteTexts(), []);
  assert.equal((await developer.get(`${at}/1`)).body.status, 'triggered');
});

test('returns 400 for an update without parameters', async () => {
  const { put } = await oneAlert();
  const nothing = 'status, assignee_ids, assignee_usernames are missing, at least one parameter must be provided';
  for (const [params, error] of [
    [{}, nothing],
    [{ status: 'open' }, 'status does not have a valid value'],
    [{ assignee_ids: ['x'] }, 'assignee_ids is invalid'],
  ] as const) {
    const { status, body } = await put(params);
    assert.deepEqual([status, body], [400, { error }]);
  }
});

test('leaves at most one unresolved alert after ten concurrent updates', async () => {
  const { put, notify, at, developer } = await oneAlert();
  const all = Array.from({ length: 10 }, (_, index) => [
    notify({ fingerprint: 'disk' }),
    put({ status: index % 2 === 0 ? 'resolved' : 'triggered' }),
  ]);
  for (const { status } of await Promise.all(all.flat())) assert.ok(status === 200 || status === 409, String(status));
  const { body } = await developer.get(at, { status: 'triggered' });
  assert.ok(body.length <= 1);
  const { body: every } = await developer.get(at);
  const counted = every.reduce((sum: number, { event_count }: { event_count: number }) => sum + event_count, 0);
  assert.equal(counted, 11);
});

test('lists comments and system notes, oldest first', async () => {
  const { at, put, developer, clock } = await oneAlert();
  clock.advance(1000);
  const { status, body } = await developer.post(`${at}/1/notes`, { body: 'Looking at it' });
  assert.equal(status, 201);
  clock.advance(1000);
  await put({ status: 'acknowledged' });
  const { body: notes } = await developer.get(`${at}/1/notes`);
  assert.deepEqual(
    notes.map((note: { body: string; system: boolean }) => [note.body, note.system]),
    [
      ['logged an alert from **Data Dog**', true],
      ['Looking at it', false],
      ['changed the status to **Acknowledged**', true],
    ],
  );
  assert.deepEqual(notes[1], body);
  const { author, attachment, noteable_type, noteable_iid } = body;
  assert.deepEqual(
    [author.id, attachment, noteable_type, noteable_iid],
    [developer.id, null, 'AlertManagement::Alert', 1],
  );
  const { body: last } = await developer.get(`${at}/1/notes`, { sort: 'desc', per_page: 1 });
  assert.equal(last[0].body, 'changed the status to **Acknowledged**');
});

test('a comment says something', async () => {
  const { at, developer } = await oneAlert();
  assert.match((await developer.post(`${at}/1/notes`)).body.error, /^body is missing/);
  assert.deepEqual((await developer.post(`${at}/1/notes`, { body: ' ' })).body, { error: 'body is empty' });
});

test("alerts go with their project, and what a deleted user has said of others stays as the ghost's", async () => {
  const here = await oneAlert();
  const user = await here.project.addMember('developer');
  await user.post(`${here.at}/1/notes`, { body: 'Mine' });
  await user.put(`${here.at}/1`, { assignee_ids: [user.id] });
  await here.root.delete(`/users/${user.id}`);
  await here.runJobs();
  const { body: notes } = await here.developer.get(`${here.at}/1/notes`);
  assert.equal(notes[1].author.username, 'ghost');
  assert.deepEqual((await here.developer.get(`${here.at}/1`)).body.assignees, []);
  await expectSuccess(here.owner.delete(here.project.at));
  const { body } = await here.root.get(here.project.at);
  const now = { permanently_remove: true, full_path: body.path_with_namespace };
  await expectSuccess(here.owner.delete(here.project.at, now));
  await here.runJobs();
  const left = await here.server.services.database.reader
    .selectFrom('alerts')
    .select('id')
    .where('project_id', '=', here.project.id)
    .execute();
  assert.deepEqual(left, []);
});
