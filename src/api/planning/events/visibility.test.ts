import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCaller } from '#authentication/users/users.ts';
import { type Caller, world } from '#test/support/world.ts';
import { createComment, describeFeed, getFeed, newIssue } from './fixtures.testing.ts';

const { user, root, anonymous, server } = await world();

const feed = ({ id, username }: Caller, by: 'id' | 'name' = 'id') =>
  `/users/${by === 'id' ? id : username.toUpperCase()}/events`;

test('finds a user by id and by username in any case', async () => {
  const { project, owner } = await world({ project: { visibility: 'public' } });
  await newIssue(project);
  const events = await getFeed(anonymous, feed(owner));
  assert.equal(events.length, 2);
  assert.deepEqual(await getFeed(anonymous, feed(owner, 'name')), events);
  const unknown = await anonymous.get('/users/nobody-at-all/events');
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 User Not Found' }]);
});

test('shows feeds of private and blocked users to themselves and administrators only', async () => {
  const { owner } = await world({ project: { visibility: 'public' } });
  await root.put(`/users/${owner.id}`, { private_profile: true });
  const hidden = await anonymous.get(feed(owner));
  assert.deepEqual([hidden.status, hidden.body, hidden.headers['x-total']], [200, [], '0']);
  assert.deepEqual(await describeFeed(await user(), feed(owner)), []);
  for (const caller of [owner, root]) assert.equal((await describeFeed(caller, feed(owner))).length, 1);
  const { owner: blocked } = await world({ project: { visibility: 'public' } });
  await root.post(`/users/${blocked.id}/block`);
  assert.deepEqual(await describeFeed(anonymous, feed(blocked)), []);
  assert.equal((await describeFeed(root, feed(blocked))).length, 1);
});

test('hides the feed of an unconfirmed user', async () => {
  const { owner } = await world({ project: { visibility: 'public' } });
  const { database } = server.services;
  await database.transaction((tx) =>
    tx.updateTable('users').set({ confirmed_at: null }).where('id', '=', owner.id).execute(),
  );
  assert.deepEqual(await describeFeed(anonymous, feed(owner)), []);
});

test('shows events of a private project to current members only', async () => {
  const { project, owner } = await world({ project: {} });
  const ada = await user();
  assert.deepEqual(await describeFeed(ada, feed(owner)), []);
  await project.addMember('guest', ada);
  assert.deepEqual(await describeFeed(ada, feed(owner)), ['created Project']);
  assert.deepEqual(await describeFeed(ada, '/events'), ['joined Project']);
  await owner.delete(`${project.at}/members/${ada.id}`);
  for (const path of [feed(owner), '/events']) assert.deepEqual(await describeFeed(ada, path), []);
  await project.addMember('guest', ada);
  assert.deepEqual(await describeFeed(ada, '/events'), ['joined Project', 'left Project', 'joined Project']);
});

test('shows confidential issues and their comments to their readers only', async () => {
  const { project, guest, planner } = await world({ project: { visibility: 'public', with: ['guest', 'planner'] } });
  const author = await user();
  const issue = await newIssue(project, { confidential: true }, author);
  await createComment(author, issue);
  const known = ['commented on Note', 'opened Issue'];
  const seen = async (caller: Caller) =>
    (await describeFeed(caller, `${project.at}/events`)).filter((event) => known.includes(event));
  for (const caller of [author, planner, root]) assert.deepEqual(await seen(caller), known);
  for (const caller of [guest, anonymous]) assert.deepEqual(await seen(caller), []);
});

test('shows internal comments to Planners only', async () => {
  const { project, owner, guest, planner } = await world({ project: { with: ['guest', 'planner'] } });
  const issue = await newIssue(project);
  await createComment(owner, issue, { internal: true });
  const seen = async (caller: Caller) =>
    (await describeFeed(caller, `${project.at}/events`, { action: 'commented' })).length;
  assert.deepEqual([await seen(planner), await seen(guest)], [1, 0]);
});

test('cuts pages before hidden events are removed', async () => {
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

test('hides pushes from Guests of a private project but shows issues and members', async () => {
  const { project, guest, reporter } = await world({ project: { readme: true, with: ['guest', 'reporter'] } });
  await newIssue(project);
  const seen = await describeFeed(guest, `${project.at}/events`);
  assert.deepEqual(seen, ['opened Issue', 'joined Project', 'joined Project', 'created Project']);
  assert.ok((await describeFeed(reporter, `${project.at}/events`)).includes('pushed new'));
});

test('shows milestones while issues or merge requests are enabled', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const { database, runUnitOfWork } = server.services;
  const target = { type: 'Milestone' } as const;

  await runUnitOfWork(await loadCaller(database.reader, owner.id, null), (uow) =>
    uow.record({ projectId: project.id, authorId: owner.id, action: 'destroyed', target }),
  );
  const at = `${project.at}/events`;
  const [event] = await getFeed(guest, at, { target_type: 'milestone' });
  assert.deepEqual([event?.action_name, event?.target_id, event?.target_title], ['destroyed', null, null]);
  await owner.put(project.at, { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' });
  assert.deepEqual(await describeFeed(guest, at, { target_type: 'milestone' }), []);
});

test('hides events of deleted targets', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const { id } = await createComment(owner, issue);
  await owner.delete(`${issue.at}/notes/${id}`);
  assert.deepEqual(await describeFeed(owner, `${project.at}/events`), ['opened Issue', 'created Project']);
});
