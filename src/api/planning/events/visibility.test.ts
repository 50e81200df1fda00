import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from '#authentication/users/users.ts';
import { type Caller, world } from '#test/support/world.ts';
import { comment, feedOf, newIssue, told } from './fixtures.testing.ts';

const { user, root, anonymous, server } = await world();

const feed = ({ id, username }: Caller, by: 'id' | 'name' = 'id') =>
  `/users/${by === 'id' ? id : username.toUpperCase()}/events`;

test('a user’s feed is found by id and by name in any case', async () => {
  const { project, owner } = await world({ project: { visibility: 'public' } });
  await newIssue(project);
  const events = await feedOf(anonymous, feed(owner));
  assert.equal(events.length, 2);
  assert.deepEqual(await feedOf(anonymous, feed(owner, 'name')), events);
  const unknown = await anonymous.get('/users/nobody-at-all/events');
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 User Not Found' }]);
});

test('private and blocked users show their feeds to themselves and administrators only', async () => {
  const { owner } = await world({ project: { visibility: 'public' } });
  await root.put(`/users/${owner.id}`, { private_profile: true });
  const hidden = await anonymous.get(feed(owner));
  assert.deepEqual([hidden.status, hidden.body, hidden.headers['x-total']], [200, [], '0']);
  assert.deepEqual(await told(await user(), feed(owner)), []);
  for (const caller of [owner, root]) assert.equal((await told(caller, feed(owner))).length, 1);
  const { owner: blocked } = await world({ project: { visibility: 'public' } });
  await root.post(`/users/${blocked.id}/block`);
  assert.deepEqual(await told(anonymous, feed(blocked)), []);
  assert.equal((await told(root, feed(blocked))).length, 1);
});

test('a user whose address was never confirmed shows nothing', async () => {
  const { owner } = await world({ project: { visibility: 'public' } });
  const { database } = server.services;
  await database.transaction((tx) =>
    tx.updateTable('users').set({ confirmed_at: null }).where('id', '=', owner.id).execute(),
  );
  assert.deepEqual(await told(anonymous, feed(owner)), []);
});

test('what was done in a private project is for its members, and comes and goes with membership', async () => {
  const { project, owner } = await world({ project: {} });
  const ada = await user();
  assert.deepEqual(await told(ada, feed(owner)), []);
  await project.add('guest', ada);
  assert.deepEqual(await told(ada, feed(owner)), ['created Project']);
  assert.deepEqual(await told(ada, '/events'), ['joined Project']);
  await owner.delete(`${project.at}/members/${ada.id}`);
  for (const path of [feed(owner), '/events']) assert.deepEqual(await told(ada, path), []);
  await project.add('guest', ada);
  assert.deepEqual(await told(ada, '/events'), ['joined Project', 'left Project', 'joined Project']);
});

test('a confidential issue and what is said on it are for who reads it', async () => {
  const { project, guest, planner } = await world({ project: { visibility: 'public', with: ['guest', 'planner'] } });
  const author = await user();
  const issue = await newIssue(project, { confidential: true }, author);
  await comment(author, issue);
  const known = ['commented on Note', 'opened Issue'];
  const seen = async (caller: Caller) =>
    (await told(caller, `${project.at}/events`)).filter((event) => known.includes(event));
  for (const caller of [author, planner, root]) assert.deepEqual(await seen(caller), known);
  for (const caller of [guest, anonymous]) assert.deepEqual(await seen(caller), []);
});

test('an internal comment is for members from Planner on', async () => {
  const { project, owner, guest, planner } = await world({ project: { with: ['guest', 'planner'] } });
  const issue = await newIssue(project);
  await comment(owner, issue, { internal: true });
  const seen = async (caller: Caller) => (await told(caller, `${project.at}/events`, { action: 'commented' })).length;
  assert.deepEqual([await seen(planner), await seen(guest)], [1, 0]);
});

test('pages are cut before what is hidden is left out', async () => {
  const { project, guest } = await world({ project: { with: ['guest'] } });
  for (const confidential of [false, true, true, false]) await newIssue(project, { confidential });
  const at = `${project.at}/events`;
  const page = async (number: number) => {
    const { body, headers } = await guest.get(at, { target_type: 'issue', per_page: 2, page: number });
    return [body.length, headers['x-next-page'], headers['x-total']];
  };
  assert.deepEqual(await page(1), [1, '2', '4']);
  assert.deepEqual(await page(2), [1, '', '4']);
});

test('a guest of a private project is told of no pushes, but of issues and members', async () => {
  const { project, guest, reporter } = await world({ project: { readme: true, with: ['guest', 'reporter'] } });
  await newIssue(project);
  const seen = await told(guest, `${project.at}/events`);
  assert.deepEqual(seen, ['opened Issue', 'joined Project', 'joined Project', 'created Project']);
  assert.ok((await told(reporter, `${project.at}/events`)).includes('pushed new'));
});

test('milestones are told of as long as issues or merge requests are there', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const { database, runUnitOfWork } = server.services;
  const target = { type: 'Milestone' } as const;

  await runUnitOfWork(await callerOf(database.reader, owner.id, null), (uow) =>
    uow.record({ projectId: project.id, authorId: owner.id, action: 'destroyed', target }),
  );
  const at = `${project.at}/events`;
  const [event] = await feedOf(guest, at, { target_type: 'milestone' });
  assert.deepEqual([event?.action_name, event?.target_id, event?.target_title], ['destroyed', null, null]);
  await owner.put(project.at, { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' });
  assert.deepEqual(await told(guest, at, { target_type: 'milestone' }), []);
});

test('what is deleted is told of no more', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const { id } = await comment(owner, issue);
  await owner.delete(`${issue.at}/notes/${id}`);
  assert.deepEqual(await told(owner, `${project.at}/events`), ['opened Issue', 'created Project']);
});
