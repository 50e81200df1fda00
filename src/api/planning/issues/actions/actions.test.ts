import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

type Params = Readonly<Record<string, unknown>>;

const here = await world({ project: { with: ['guest', 'planner'] } });
const { project, owner, guest, planner, newProject, root, runJobs } = here;
const issues = `${project.at}/issues`;

const createIssue = async (title: string, params: Params = {}) =>
  (await expectSuccess(owner.post(issues, { title, ...params }))).body as { id: number; iid: number };
const uow = (by: Caller, { iid }: { iid: number }, verb: string, params: Params = {}) =>
  by.post(`${issues}/${iid}/${verb}`, params);
const listNotes = async (id: number) => {
  const { reader } = here.server.services.database;
  const rows = await reader.selectFrom('notes').select('body').where('issue_id', '=', id).orderBy('id').execute();
  return rows.map(({ body }) => body);
};

test('moves an issue after or before another one, and the others keep their order', async () => {
  const { at, owner: by } = await newProject();
  const made: { id: number; iid: number; title: string }[] = [];
  for (const title of 'abcd') made.push((await expectSuccess(by.post(`${at}/issues`, { title }))).body);
  const [a, b, c, d] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0], (typeof made)[0]];
  const order = async () =>
    (await by.get(`${at}/issues`, { order_by: 'relative_position', sort: 'asc' })).body
      .map(({ title }: { title: string }) => title)
      .join('');
  const put = (issue: { iid: number }, params: Params) => by.put(`${at}/issues/${issue.iid}/reorder`, params);
  await expectSuccess(put(d, { move_before_id: a.id }));
  assert.equal(await order(), 'adbc');
  await expectSuccess(put(c, { move_after_id: a.id }));
  assert.equal(await order(), 'cadb');
  for (let again = 0; again < 25; again++) {
    await expectSuccess(put(b, { move_before_id: c.id }));
    await expectSuccess(put(d, { move_before_id: c.id }));
  }
  assert.equal(await order(), 'cdba');
  for (const params of [{ move_before_id: 987_654 }, { move_after_id: a.id }]) {
    const refused = await put(a, params);
    assert.deepEqual([refused.status, refused.body], [422, { message: { error: 'Unprocessable Entity' } }]);
  }
  const none = await put(a, {});
  const error = 'move_after_id, move_before_id are missing, at least one parameter must be provided';
  assert.deepEqual([none.status, none.body], [400, { error }]);
});

test('subscribing succeeds once and then answers 304', async () => {
  const issue = await createIssue('T');
  const first = await uow(guest, issue, 'subscribe');
  assert.deepEqual([first.status, first.body.subscribed], [201, true]);
  assert.equal((await uow(guest, issue, 'subscribe')).status, 304);
  const left = await uow(owner, issue, 'unsubscribe');
  assert.deepEqual([left.status, left.body.subscribed], [201, false], 'the author was subscribed');
  assert.equal((await uow(owner, issue, 'unsubscribe')).status, 304);
  assert.equal((await owner.get(`${issues}/${issue.iid}`)).body.subscribed, false);
});

test('estimates and spent time are formatted and create notes', async () => {
  const issue = await createIssue('T');
  const stats = { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null };
  assert.deepEqual((await guest.get(`${issues}/${issue.iid}/time_stats`)).body, stats);
  const estimated = await uow(planner, issue, 'time_estimate', { duration: '1d 3h30m' });
  const half = { time_estimate: 41_400, human_time_estimate: '1d 3h 30m' };
  assert.deepEqual([estimated.status, estimated.body], [200, { ...stats, ...half }]);
  const spent = await uow(planner, issue, 'add_spent_time', { duration: '1h', summary: 'Work' });
  assert.deepEqual([spent.status, spent.body.human_total_time_spent], [201, '1h']);
  assert.equal((await uow(planner, issue, 'add_spent_time', { duration: '-30m' })).body.total_time_spent, 1800);
  await expectSuccess(uow(planner, issue, 'reset_spent_time'));
  await expectSuccess(uow(planner, issue, 'reset_time_estimate'));
  assert.deepEqual((await guest.get(`${issues}/${issue.iid}/time_stats`)).body, stats);
  assert.deepEqual(await listNotes(issue.id), [
    'changed time estimate to 1d 3h 30m',
    'added 1h of time spent at 2026-01-02',
    'subtracted 30m of time spent at 2026-01-02',
    'removed time spent',
    'removed time estimate',
  ]);
});

for (const [duration, human] of [
  ['2 hours', '2h'],
  ['1 Week 2 DAYS', '1w 2d'],
  ['one month', '1mo'],
  ['30 minutes and 10 seconds', '30m 10s'],
  ['1:30:00', '1h 30m'],
  ['3', '3h'],
] as const) {
  test(`accepts the duration ${duration}`, async () => {
    const issue = await createIssue('T');
    const { body } = await expectSuccess(uow(planner, issue, 'time_estimate', { duration }));
    assert.equal(body.human_time_estimate, human);
    assert.equal((await uow(planner, issue, 'add_spent_time', { duration })).body.human_total_time_spent, human);
  });
}

test('rejects invalid durations and subtracting more than the spent time', async () => {
  const issue = await createIssue('T');
  const estimate = '400 Bad request - Time estimate must have a valid format and be greater than or equal to zero.';
  const spent = '400 Bad request - Time spent must have a valid format.';
  for (const [verb, duration, message] of [
    ['time_estimate', 'soon', estimate],
    ['time_estimate', '-1h', estimate],
    ['time_estimate', '2 fortnights', estimate],
    ['add_spent_time', '1x', spent],
    ['add_spent_time', '-1h', { base: ['Time to subtract exceeds the total time spent'] }],
  ] as const) {
    const { status, body } = await uow(planner, issue, verb, { duration });
    assert.deepEqual([status, body], [400, { message }], `${verb} ${duration}`);
  }
  assert.equal((await uow(guest, issue, 'time_estimate', { duration: '1h' })).status, 403);
});

test('author and assignees are participants', async () => {
  const issue = await createIssue('T', { assignee_ids: [guest.id] });
  const { body } = await planner.get(`${issues}/${issue.iid}/participants`);
  assert.deepEqual(body.map(({ id }: { id: number }) => id).sort(), [guest.id, owner.id].sort());
});

test('moving an issue copies it with the attributes that the target project has, and closes the original', async () => {
  const other = await newProject({ owner });
  await expectSuccess(owner.post(`${other.at}/labels`, { name: 'b', color: 'red' }));
  const issue = await createIssue('T', {
    labels: 'a,b',
    assignee_ids: [guest.id, owner.id],
    description: 'D',
    weight: 2,
  });
  await expectSuccess(owner.put(`${issues}/${issue.iid}`, { title: 'New' }));
  const moved = await uow(owner, issue, 'move', { to_project_id: other.id });
  assert.equal(moved.status, 201);
  const { project_id, labels, assignees, description, state, weight, author } = moved.body;
  assert.deepEqual([project_id, labels, description, state, weight], [other.id, ['b'], 'D', 'opened', 2]);
  assert.deepEqual([author.id, assignees.map(({ id }: { id: number }) => id)], [owner.id, [owner.id]]);
  const old = (await owner.get(`${issues}/${issue.iid}`)).body;
  assert.deepEqual([old.state, old.moved_to_id], ['closed', moved.body.id]);
  const [first, ...rest] = await listNotes(moved.body.id);
  assert.match(first!, /^changed title/);
  assert.deepEqual(rest, [`moved from ${project.path_with_namespace}#${issue.iid}`]);
  assert.equal((await listNotes(issue.id)).at(-1), `moved to ${other.path_with_namespace}#${moved.body.iid}`);
  const again = await uow(owner, issue, 'move', { to_project_id: other.id });
  assert.deepEqual([again.status, again.body.message], [400, 'Unable to move. You have insufficient permissions.']);
});

test('moving needs the permission in both projects', async () => {
  const [hidden, open] = [await newProject(), await newProject({ visibility: 'public' })];
  const issue = await createIssue('T');
  const forbidden = { message: 'Unable to move. You have insufficient permissions.' };
  assert.deepEqual((await uow(planner, issue, 'move', { to_project_id: open.id })).body, forbidden);
  const unseen = await uow(planner, issue, 'move', { to_project_id: hidden.id });
  assert.deepEqual([unseen.status, unseen.body], [404, { message: '404 Project Not Found' }]);
  const missing = await uow(planner, { iid: 987_654 }, 'move', { to_project_id: open.id });
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Issue Not Found' }]);
  const same = await uow(planner, issue, 'move', { to_project_id: project.id });
  assert.deepEqual([same.status, same.body.id], [201, issue.id]);
});

test('former members can be unassigned, and issues of deleted users belong to the ghost user', async () => {
  const formerMember = await project.addMember('developer');
  const issue = await createIssue('T', { assignee_ids: [formerMember.id] });
  const filed = (await expectSuccess(formerMember.post(issues, { title: 'by formerMember' }))).body;
  await expectSuccess(formerMember.put(`${issues}/${filed.iid}`, { state_event: 'close' }));
  await expectSuccess(owner.delete(`${project.at}/members/${formerMember.id}`, { unassign_issuables: true }));
  assert.deepEqual((await owner.get(`${issues}/${issue.iid}`)).body.assignees, []);
  await expectSuccess(root.delete(`/users/${formerMember.id}`));
  await runJobs();
  const { body } = await owner.get(`${issues}/${filed.iid}`);
  assert.deepEqual([body.author.username, body.closed_by.username], ['ghost', 'ghost']);
});
