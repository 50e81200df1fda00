import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';

const { newGroup, newProject, name } = await world();

async function newIssue(project: Project, params = {}) {
  const { body } = await expectSuccess(
    project.owner.post(`${project.at}/issues`, { title: 'Retry loop spins', ...params }),
  );
  const at = `${project.at}/issues/${body.iid}`;
  return { id: body.id as number, at, events: `${at}/resource_milestone_events` };
}

const newMilestone = async ({ at, owner }: Project | Group): Promise<{ id: number }> =>
  (await expectSuccess(owner.post(`${at}/milestones`, { title: name('v') }))).body;

test('records events when the milestone of an issue is set, changed and cleared', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const [one, two] = [await newMilestone(project), await newMilestone(project)];
  const issue = await newIssue(project, { milestone_id: one.id });
  for (const milestone_id of [one.id, two.id, two.id, 0]) await owner.put(issue.at, { milestone_id });
  const { body, headers } = await guest.get(issue.events);
  const fields = body.map(
    ({ action, milestone, state }: { action: string; milestone: { id: number }; state: string }) => [
      action,
      milestone.id,
      state,
    ],
  );
  assert.deepEqual(fields, [
    ['add', one.id, 'opened'],
    ['add', two.id, 'opened'],
    ['remove', two.id, 'opened'],
  ]);
  assert.equal(headers['x-total'], '3');
  const { user, created_at, ...event } = body[0];
  assert.equal(user.id, owner.id);
  assert.deepEqual(event, {
    id: event.id,
    resource_type: 'Issue',
    resource_id: issue.id,
    milestone: one,
    action: 'add',
    state: 'opened',
  });
  assert.deepEqual((await guest.get(`${issue.events}/${event.id}`)).body, body[0]);
  assert.deepEqual((await guest.get(issue.events, { per_page: 1, page: 3 })).body, [body[2]]);
});

test('hides the events of a deleted milestone', async () => {
  const { project, owner } = await world({ project: {} });
  const milestone = await newMilestone(project);
  const issue = await newIssue(project, { milestone_id: milestone.id });
  const [{ id }] = (await owner.get(issue.events)).body;
  await expectSuccess(owner.delete(`${project.at}/milestones/${milestone.id}`));
  assert.deepEqual((await owner.get(issue.events)).body, []);
  const gone = await owner.get(`${issue.events}/${id}`);
  assert.deepEqual([gone.status, gone.body], [404, { message: '404 ResourceMilestoneEvent Not Found' }]);
});

test('shows the group of a group milestone and omits unreadable ones', async () => {
  const group = await newGroup({});
  const [project, milestone] = [await newProject({ in: group }), await newMilestone(group)];
  const issue = await newIssue(project, { milestone_id: milestone.id });
  const [event] = (await group.owner.get(issue.events)).body;
  assert.deepEqual([event.milestone.group_id, 'project_id' in event.milestone], [group.id, false]);
  const elsewhere = await newGroup({ owner: group.owner });
  await expectSuccess(group.owner.put(`${project.at}/transfer`, { namespace: elsewhere.id }));
  const guest = await elsewhere.addMember('guest');
  const { body, headers } = await guest.get(issue.events);
  assert.deepEqual([body, headers['x-total']], [[], '0']);
  const unread = await guest.get(`${issue.events}/${event.id}`);
  assert.deepEqual([unread.status, unread.body], [404, { message: '404 ResourceMilestoneEvent Not Found' }]);
});

test('returns 404 for unknown and foreign events', async () => {
  const { project, owner } = await world({ project: {} });
  const { id: milestone_id } = await newMilestone(project);
  const [issue, other] = [await newIssue(project), await newIssue(project, { milestone_id })];
  const [event] = (await owner.get(other.events)).body;
  for (const id of [event.id, 987_654]) {
    const { status, body } = await owner.get(`${issue.events}/${id}`);
    assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
  }
});

test('records events when the milestone of a merge request is set, changed and cleared', async () => {
  const { project, owner, guest, planner } = await world({ project: { readme: true, with: ['guest', 'planner'] } });
  const [one, two] = [await newMilestone(project), await newMilestone(project)];
  const { id, at } = await newMergeRequest(project, { milestone_id: one.id });
  for (const milestone_id of [one.id, two.id, two.id, 0]) await expectSuccess(owner.put(at, { milestone_id }));
  const events = `${at}/resource_milestone_events`;
  const { body } = await planner.get(events);
  assert.deepEqual(
    body.map((event: Told) => [event.resource_type, event.resource_id, event.action, event.milestone.id]),
    [
      ['MergeRequest', id, 'add', one.id],
      ['MergeRequest', id, 'add', two.id],
      ['MergeRequest', id, 'remove', two.id],
    ],
  );
  assert.deepEqual((await planner.get(`${events}/${body[0].id}`)).body, body[0]);
  assert.deepEqual((await guest.get(events)).body, { message: '404 Not found' });
  await expectSuccess(owner.delete(`${project.at}/milestones/${two.id}`));
  assert.deepEqual((await planner.get(events)).body.length, 1);
});

interface Told {
  readonly resource_type: string;
  readonly resource_id: number;
  readonly action: string;
  readonly milestone: { readonly id: number };
}
