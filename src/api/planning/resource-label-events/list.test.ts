import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { project, owner, guest, planner, root, user, newGroup, newProject, runJobs } = await world({
  project: { readme: true, with: ['guest', 'planner'] },
});

interface Told {
  readonly id: number;
  readonly action: string;
  readonly label: { readonly name: string } | null;
}

const eventsOf = (at: string) => `${at}/resource_label_events`;

/** `+bug`, `-bug`, in their order. */
const toldOf = async (at: string, by: Caller = owner): Promise<string[]> =>
  (await by.get(eventsOf(at))).body.map(
    ({ action, label }: Told) => `${action === 'add' ? '+' : '-'}${label?.name ?? 'null'}`,
  );

test('records one event per added or removed label, also at creation', async () => {
  const issue = await newIssue(project, { labels: 'a,b' });
  for (const change of [
    { labels: 'b,c' },
    { labels: 'c,b' },
    { add_labels: 'a,b' },
    { remove_labels: 'c' },
    { labels: '' },
  ]) {
    await expectSuccess(planner.put(issue.at, change));
  }
  assert.deepEqual(await toldOf(issue.at), ['+a', '+b', '-a', '+c', '+a', '-c', '-a', '-b']);
  const { body, headers } = await guest.get(eventsOf(issue.at), { per_page: 1, page: 3 });
  assert.equal(headers['x-total'], '8');
  const [{ id, user: by, created_at, label, ...event }] = body;
  assert.deepEqual(event, { resource_type: 'Issue', resource_id: issue.id, action: 'remove' });
  assert.deepEqual([by.id, label.name, label.description_html], [planner.id, 'a', '']);
  assert.deepEqual((await guest.get(`${eventsOf(issue.at)}/${id}`)).body, body[0]);
});

test('records label events of merge requests and epics', async () => {
  const group = await newGroup({ owner });
  const epic = (await expectSuccess(owner.post(`${group.at}/epics`, { title: 'Big', labels: 'a' }))).body;
  await expectSuccess(owner.put(`${group.at}/epics/${epic.iid}`, { add_labels: 'b' }));
  const mergeRequest = await newMergeRequest(project, { labels: 'a' });
  await expectSuccess(owner.put(mergeRequest.at, { labels: 'b' }));
  assert.deepEqual(await toldOf(`${group.at}/epics/${epic.id}`), ['+a', '+b']);
  assert.deepEqual(await toldOf(mergeRequest.at), ['+a', '-a', '+b']);
  const [event] = (await owner.get(eventsOf(mergeRequest.at))).body;
  assert.deepEqual([event.resource_type, event.resource_id], ['MergeRequest', mergeRequest.id]);
  assert.deepEqual((await guest.get(eventsOf(mergeRequest.at))).body, { message: '404 Not found' });
});

test('keeps events of a deleted label without it, and records none for its removal', async () => {
  const issue = await newIssue(project, { labels: 'short-lived,stays' });
  await expectSuccess(owner.delete(`${project.at}/labels/short-lived`));
  assert.deepEqual((await toldOf(issue.at)).sort(), ['+null', '+stays']);
});

test('omits events of unreadable labels and returns 404 for one', async () => {
  const group = await newGroup({ owner });
  const moving = await newProject({ in: group });
  await expectSuccess(owner.post(`${group.at}/labels`, { name: 'inner', color: 'red' }));
  const issue = await newIssue(moving, { labels: 'inner' });
  const [event] = (await owner.get(eventsOf(issue.at))).body;
  const elsewhere = await newGroup({ owner });
  await expectSuccess(owner.put(`${moving.at}/transfer`, { namespace: elsewhere.id }));
  const visitor = await elsewhere.addMember('guest');
  const { body, headers } = await visitor.get(eventsOf(issue.at));
  assert.deepEqual([body, headers['x-total']], [[], '0']);
  const unread = await visitor.get(`${eventsOf(issue.at)}/${event.id}`);
  assert.deepEqual([unread.status, unread.body], [404, { message: '404 ResourceLabelEvent Not Found' }]);
});

test('returns 404 for unknown, foreign and invalid ids, and has no POST', async () => {
  const [issue, other] = [await newIssue(project), await newIssue(project, { labels: 'a' })];
  const [{ id }] = (await owner.get(eventsOf(other.at))).body;
  for (const wrong of [id, 987_654, 'x', '9'.repeat(30)]) {
    const { status, body } = await guest.get(`${eventsOf(issue.at)}/${wrong}`);
    assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
  }
  assert.equal((await owner.post(eventsOf(issue.at), { label: 'a' })).status, 405);
  assert.equal((await (await user()).get(eventsOf(issue.at))).status, 404);
});

test('starts without events on a moved issue, and keeps events of deleted users', async () => {
  const ada = await project.addMember('planner');
  const to = await newProject({ owner });
  await expectSuccess(owner.post(`${to.at}/labels`, { name: 'a', color: 'red' }));
  const issue = await newIssue(project, { labels: 'a,b', weight: 3 }, ada);
  const moved = (await expectSuccess(owner.post(`${issue.at}/move`, { to_project_id: to.id }))).body;
  const movedAt = `${to.at}/issues/${moved.iid}`;
  assert.deepEqual([await toldOf(issue.at), await toldOf(movedAt)], [['+a', '+b'], ['+a']]);
  assert.equal((await owner.get(`${movedAt}/resource_weight_events`)).body[0].weight, 3);
  await expectSuccess(root.delete(`/users/${ada.id}`));
  await runJobs();
  for (const history of ['resource_label_events', 'resource_weight_events']) {
    assert.equal((await owner.get(`${issue.at}/${history}`)).body[0].user, null);
  }
});
