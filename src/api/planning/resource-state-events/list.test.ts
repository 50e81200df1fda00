import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';

const { user, root, anonymous, newProject, runJobs } = await world();

async function newIssue(project: Project, params = {}) {
  const { body } = await expectSuccess(
    project.owner.post(`${project.at}/issues`, { title: 'Retry loop spins', ...params }),
  );
  const at = `${project.at}/issues/${body.iid}`;
  return { id: body.id as number, iid: body.iid as number, at, events: `${at}/resource_state_events` };
}

test('records one event per state change and none for a new issue', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project, { labels: 'bug' });
  assert.deepEqual((await owner.get(issue.events)).body, []);
  for (const state_event of ['close', 'close', 'reopen', 'reopen', 'close']) await owner.put(issue.at, { state_event });
  await owner.put(issue.at, { labels: 'feature' });
  const { body, headers } = await owner.get(issue.events);
  assert.deepEqual(
    body.map(({ state }: { state: string }) => state),
    ['closed', 'opened', 'closed'],
  );
  assert.equal(headers['x-total'], '3');
  const { user: author, created_at, ...event } = body[0];
  assert.equal(author.id, owner.id);
  assert.deepEqual(event, {
    id: event.id,
    resource_type: 'Issue',
    resource_id: issue.id,
    source_commit: null,
    source_merge_request_id: null,
    state: 'closed',
  });
  assert.deepEqual((await owner.get(`${issue.events}/${event.id}`)).body, body[0]);
  assert.equal((await owner.get(issue.events, { per_page: 1, page: 2 })).body[0].state, 'opened');
});

test('records one event on concurrent closing', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  await Promise.all(Array.from({ length: 4 }, () => owner.put(issue.at, { state_event: 'close' })));
  assert.equal((await owner.get(issue.events)).body.length, 1);
  const closed = await owner.get(`${project.at}/events`, { action: 'closed' });
  assert.equal(closed.body.length, 1);
});

test('shows the impersonated user, and null after the user is deleted', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const ada = await project.addMember('developer');
  await root.send('PUT', issue.at, { params: { state_event: 'close' }, headers: { Sudo: ada.username } });
  assert.equal((await owner.get(issue.events)).body[0].user.id, ada.id);
  await root.delete(`/users/${ada.id}`);
  await runJobs();
  assert.equal((await owner.get(issue.events)).body[0].user, null);
});

test('returns events to readers of the issue, each below its own issue', async () => {
  const { project, owner, guest } = await world({ project: { visibility: 'public', with: ['guest'] } });
  const [issue, other] = [await newIssue(project), await newIssue(project)];
  await owner.put(other.at, { state_event: 'close' });
  const [{ id }] = (await owner.get(other.events)).body;
  for (const wrong of [id, id + 1000]) {
    const answer = await guest.get(`${issue.events}/${wrong}`);
    assert.deepEqual([answer.status, answer.body], [404, { message: '404 Not found' }]);
  }
  const secret = await newIssue(project, { confidential: true });
  assert.deepEqual((await guest.get(secret.events)).body, { message: '404 Not found' });
  assert.deepEqual((await anonymous.get(issue.events)).body, { message: '401 Unauthorized' });
  const closed = await newIssue(await newProject({ owner }));
  assert.deepEqual((await (await user()).get(closed.events)).body, { message: '404 Project Not Found' });
  assert.deepEqual((await guest.get(`${issue.events}/x`)).body, { error: 'resource_state_event_id is invalid' });
  const iid = await guest.get(`${project.at}/issues/x/resource_state_events`);
  assert.deepEqual([iid.status, iid.body], [400, { error: 'issue_iid is invalid' }]);
});

test('finds state events of an epic by id through its group and ancestors only', async () => {
  const { group, owner, guest, newGroup } = await world({ group: { with: ['guest'] } });
  const low = await newGroup({ in: group });
  const { id, iid } = (await expectSuccess(owner.post(`${low.at}/epics`, { title: 'Big' }))).body;
  const at = (of: { readonly at: string }, epicId = id) => `${of.at}/epics/${epicId}/resource_state_events`;
  assert.deepEqual((await guest.get(at(group))).body, []);
  for (const state_event of ['close', 'close', 'reopen']) await owner.put(`${low.at}/epics/${iid}`, { state_event });
  const { body } = await guest.get(at(group));
  assert.deepEqual(
    body.map((event: Record<string, unknown>) => [event.resource_type, event.resource_id, event.state]),
    [
      ['Epic', id, 'closed'],
      ['Epic', id, 'opened'],
    ],
  );
  assert.deepEqual((await guest.get(`${at(low)}/${body[1].id}`)).body, body[1]);
  const foreign = await newGroup({ owner });
  for (const path of [at(foreign), at(group, 987_654)]) {
    assert.deepEqual((await owner.get(path)).body, { message: '404 Not found' });
  }
});

test('hides state events of a confidential epic', async () => {
  const { group, owner, guest, planner } = await world({ group: { with: ['guest', 'planner'] } });
  const { id } = (await expectSuccess(owner.post(`${group.at}/epics`, { title: 'Big', confidential: true }))).body;
  const at = `${group.at}/epics/${id}/resource_state_events`;
  assert.deepEqual([(await guest.get(at)).status, (await planner.get(at)).status], [404, 200]);
});

test('records closing, reopening and merging of a merge request', async () => {
  const { project, owner, guest, planner } = await world({ project: { readme: true, with: ['guest', 'planner'] } });
  const { id, at } = await newMergeRequest(project);
  const events = `${at}/resource_state_events`;
  assert.deepEqual((await planner.get(events)).body, []);
  for (const state_event of ['close', 'close', 'reopen']) await expectSuccess(owner.put(at, { state_event }));
  await expectSuccess(owner.put(`${at}/merge`));
  const { body } = await planner.get(events);
  assert.deepEqual(
    body.map((event: Record<string, unknown>) => [event.resource_type, event.resource_id, event.state]),
    ['closed', 'opened', 'merged'].map((state) => ['MergeRequest', id, state]),
  );
  assert.deepEqual((await planner.get(`${events}/${body[2].id}`)).body, body[2]);
  for (const path of [events, `${events}/${body[0].id}`]) {
    assert.deepEqual((await guest.get(path)).body, { message: '404 Not found' });
  }
});

test('shows the merge request that closed an issue', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const issue = await newIssue(project);
  const { id, at } = await newMergeRequest(project, { description: `Closes #${issue.iid}` });
  await expectSuccess(owner.put(`${at}/merge`));
  await runJobs();
  const [event] = (await owner.get(issue.events)).body;
  assert.deepEqual([event.state, event.source_merge_request_id, event.user.id], ['closed', id, owner.id]);
  await expectSuccess(owner.delete(at));
  assert.equal((await owner.get(issue.events)).body[0].source_merge_request_id, null);
});
