import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

const here = await world({ project: { with: ['guest', 'planner', 'reporter', 'developer'] } });
const { project, owner, guest, planner, reporter, user, newProject } = here;
type Params = Readonly<Record<string, unknown>>;
const issues = `${project.at}/issues`;

const createIssue = async (by: Caller, params = {}) =>
  (await expectSuccess(by.post(issues, { title: 'Broken', ...params }))).body;
const updateIssue = (by: Caller, { iid }: { iid: number }, params: Params) => by.put(`${issues}/${iid}`, params);

test('guests set metadata when they create an issue; later they change only texts and state', async () => {
  const made = await createIssue(guest, { labels: 'a', due_date: '2026-05-06', weight: 3, assignee_ids: [guest.id] });
  assert.deepEqual([made.due_date, made.weight, made.assignee.id], ['2026-05-06', 3, guest.id]);
  assert.deepEqual(made.labels, [], 'creates no label without the permission');
  const { status, body } = await updateIssue(guest, made, {
    title: 'New',
    due_date: null,
    weight: 1,
    assignee_ids: [],
  });
  assert.equal(status, 200);
  assert.deepEqual([body.title, body.due_date, body.weight, body.assignees.length], ['New', '2026-05-06', 3, 1]);
  const closed = await updateIssue(guest, made, { state_event: 'close' });
  assert.deepEqual([closed.body.state, closed.body.closed_by.id], ['closed', guest.id]);
});

test('ignores metadata from non-members, also on creation', async () => {
  const open = await newProject({ visibility: 'public' });
  const stranger = await user();
  const params = { title: 'Found', due_date: '2026-05-06', weight: 2, confidential: true, labels: ['x'] };
  const { status, body } = await stranger.post(`${open.at}/issues`, params);
  assert.equal(status, 201);
  assert.deepEqual([body.due_date, body.weight, body.labels, body.confidential], [null, null, [], true]);
});

test('only author, assignees and Planners update an issue', async () => {
  const made = await createIssue(planner);
  const { status, body } = await updateIssue(guest, made, { title: 'Mine' });
  assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  await expectSuccess(updateIssue(planner, made, { assignee_ids: [guest.id] }));
  assert.equal((await updateIssue(guest, made, { title: 'Ours' })).status, 200);
  assert.equal((await updateIssue(reporter, made, { title: 'All’s' })).status, 200);
});

test('answers 404 and 403 for a confidential issue that the caller may not read', async () => {
  const made = await createIssue(owner, { confidential: true });
  const hidden = await guest.get(`${issues}/${made.iid}`);
  assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Not found' }]);
  assert.equal((await updateIssue(guest, made, { title: 'Seen' })).status, 403);
  for (const reader of [planner, reporter]) assert.equal((await reader.get(`${issues}/${made.iid}`)).status, 200);
  await expectSuccess(updateIssue(planner, made, { confidential: false }));
  await expectSuccess(updateIssue(planner, made, { assignee_id: guest.id }));
  await expectSuccess(updateIssue(planner, made, { confidential: true }));
  assert.equal((await guest.get(`${issues}/${made.iid}`)).status, 200, 'an assignee');
});

test('ignores assignees who cannot see the issue and milestones out of scope', async () => {
  const stranger = await user();
  const made = await createIssue(owner, { assignee_ids: [stranger.id, guest.id], milestone_id: 987654 });
  assert.deepEqual([made.assignees.map(({ id }: { id: number }) => id), made.milestone], [[guest.id], null]);
  const secret = await createIssue(owner, { confidential: true });
  const { body } = await updateIssue(owner, secret, { assignee_ids: [guest.id, planner.id] });
  assert.deepEqual(
    body.assignees.map(({ id }: { id: number }) => id),
    [planner.id],
  );
});

test('a milestone out of scope and assignees who cannot see the issue change nothing', async () => {
  const stranger = await user();
  const milestone = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
  const params = { assignee_ids: [guest.id], milestone_id: milestone.id, discussion_locked: true };
  const made = await createIssue(owner, params);
  const { body } = await updateIssue(owner, made, { milestone_id: 987654, assignee_ids: [stranger.id] });
  assert.deepEqual([body.milestone?.id, body.assignee?.id], [milestone.id, guest.id]);
  const cleared = (await updateIssue(owner, made, { milestone_id: 0, assignee_ids: [0], discussion_locked: null }))
    .body;
  assert.deepEqual([cleared.milestone, cleared.assignees, cleared.discussion_locked], [null, [], null]);
});

test('replaces, adds and removes labels by title, and sorts them by title', async () => {
  const made = await createIssue(planner, { labels: 'b, a' });
  assert.deepEqual(made.labels, ['a', 'b']);
  const labels = async (params: Params) => (await expectSuccess(updateIssue(planner, made, params))).body.labels;
  assert.deepEqual(await labels({ add_labels: ['c'], remove_labels: 'a' }), ['b', 'c']);
  assert.deepEqual(await labels({ labels: ['d', 'b'] }), ['b', 'd']);
  assert.deepEqual(await labels({ labels: '' }), []);
});

test('closing twice has no effect, and reopening clears the closing fields', async () => {
  const made = await createIssue(owner);
  const { database } = here.server.services;
  const events = () =>
    database.reader.selectFrom('resource_state_events').select('state').where('issue_id', '=', made.id).execute();
  for (const event of ['close', 'close', 'reopen', 'reopen'])
    await expectSuccess(updateIssue(owner, made, { state_event: event }));
  assert.deepEqual(
    (await events()).map(({ state }) => state),
    ['closed', 'opened'],
  );
  const { body } = await owner.get(`${issues}/${made.iid}`);
  assert.deepEqual([body.state, body.closed_at, body.closed_by], ['opened', null, null]);
  const both = await Promise.all([1, 2].map(() => updateIssue(owner, made, { state_event: 'close' })));
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  );
  assert.equal((await events()).length, 3);
});

test('only Owners set the timestamps of an issue', async () => {
  const [old, later] = ['2020-01-02T03:04:05.000Z', '2021-01-02T03:04:05.000Z'];
  const made = await createIssue(owner, { created_at: old });
  assert.equal(made.created_at, old);
  assert.notEqual((await createIssue(planner, { created_at: old })).created_at, old);
  assert.equal((await updateIssue(owner, made, { updated_at: later })).body.updated_at, later);
  assert.notEqual((await updateIssue(planner, made, { title: 'T', updated_at: later })).body.updated_at, later);
  const blank = await updateIssue(owner, made, { updated_at: '' });
  assert.deepEqual([blank.status, blank.body], [400, { error: 'updated_at is empty' }]);
});

test('an update needs a parameter, and reports validation errors', async () => {
  const made = await createIssue(owner);
  const nothing = await updateIssue(owner, made, {});
  assert.equal(nothing.status, 400);
  assert.match(nothing.body.error, /^title, .* are missing, at least one parameter must be provided$/);
  const weight = await updateIssue(owner, made, { weight: -1 });
  assert.deepEqual(weight.body, { message: { weight: ['must be greater than or equal to 0'] } });
  const long = await updateIssue(owner, made, { description: 'x'.repeat(1.1 * 2 ** 20) });
  assert.deepEqual(long.body, { message: { description: ['is too long (1.1 MB). The maximum size is 1 MB.'] } });
  assert.equal((await updateIssue(owner, made, { epic_id: 7 })).status, 200, 'a personal project has no epics');
  assert.equal((await owner.put(`${issues}/${made.id + 99_999}`, { title: 'T' })).status, 404);
});
