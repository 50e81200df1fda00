import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newEpic, newIssue } from './fixtures.testing.ts';

const { group, owner, guest, reporter, anonymous, user, newGroup, newProject } = await world({
  group: { visibility: 'public', with: ['guest', 'reporter'] },
});
const project = await newProject({ in: group, visibility: 'public' });

test('adds an issue to an epic by id and returns both', async () => {
  const [epic, issue] = [await newEpic(group), await newIssue(project)];
  const added = await owner.post(`${epic.issues}/${issue.id}`);
  assert.equal(added.status, 201);
  const { id, relative_position, ...both } = added.body;
  assert.ok(Number.isInteger(id) && Number.isInteger(relative_position));
  const { subscribed, ...alone } = (await owner.get(epic.at)).body;
  assert.deepEqual(both.epic, { ...alone, reference: `${group.full_path}&${epic.iid}` });
  assert.deepEqual(both.issue, (await owner.get(`${project.at}/issues/${issue.iid}`)).body);
  assert.equal(both.issue.epic_iid, epic.iid);
  assert.deepEqual(both.issue.epic, {
    id: epic.id,
    iid: epic.iid,
    title: 'Big',
    url: `/groups/${group.full_path}/-/epics/${epic.iid}`,
    group_id: group.id,
  });
});

test('rejects issues that are unknown or already in the epic', async () => {
  const [epic, issue] = [await newEpic(group), await newIssue(project)];
  await expectSuccess(owner.post(`${epic.issues}/${issue.id}`));
  const again = await owner.post(`${epic.issues}/${issue.id}`);
  assert.deepEqual([again.status, again.body], [409, { message: 'Issue(s) already assigned' }]);
  for (const id of [987_654, '99999999999999999999']) {
    const unknown = await owner.post(`${epic.issues}/${id}`);
    assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Not found' }]);
  }
  assert.equal((await owner.post(`${epic.issues}/x`)).status, 400);
});

test('adding an issue to a second epic removes it from the first and keeps the association id', async () => {
  const [one, other, issue] = [await newEpic(group), await newEpic(group), await newIssue(project)];
  const first = await expectSuccess(owner.post(`${one.issues}/${issue.id}`));
  const second = await expectSuccess(owner.post(`${other.issues}/${issue.id}`));
  assert.equal(second.body.id, first.body.id);
  assert.deepEqual((await owner.get(one.issues)).body, []);
  assert.equal((await owner.get(other.issues)).body[0].id, issue.id);
  assert.equal((await owner.get(`${project.at}/issues/${issue.iid}`)).body.epic_iid, other.iid);
  const notes = await owner.get(`${project.at}/issues/${issue.iid}/notes?sort=asc`);
  assert.deepEqual(
    notes.body.map(({ body }: { body: string }) => body),
    [
      `added ${group.full_path}&${one.iid} as parent epic`,
      `removed parent epic ${group.full_path}&${one.iid}`,
      `added ${group.full_path}&${other.iid} as parent epic`,
    ],
  );
});

test('checks group, tier, parameters, epic and issue in this order', async () => {
  const hidden = await newGroup();
  const free = await world({ group: { visibility: 'public' }, env: { HEARTH_TIER: 'free' } });
  assert.equal((await anonymous.get(`${group.at}/epics/1/issues`)).status, 401);
  assert.equal((await guest.post(`${hidden.at}/epics/x/issues/y`)).status, 404);
  assert.equal((await free.owner.post(`${free.group.at}/epics/x/issues/y`)).status, 403);
  assert.equal((await guest.post(`${group.at}/epics/x/issues/y`)).status, 400);
  assert.equal((await guest.post(`${group.at}/epics/987654/issues/987654`)).status, 404);
  const below = await newGroup({ in: group, visibility: 'public' });
  const epic = await newEpic(below);
  assert.equal((await owner.get(`${group.at}/epics/${epic.iid + 1000}/issues`)).status, 404);
});

test('only members of the project who can read the issue add it', async () => {
  const epic = await newEpic(group);
  const stranger = await user();
  const [open, confidential] = [await newIssue(project), await newIssue(project, { confidential: true })];
  assert.equal((await guest.post(`${epic.issues}/${confidential.id}`)).status, 403);
  const outside = await stranger.post(`${epic.issues}/${open.id}`);
  const message = 'No matching issue found. Make sure that you are adding a valid issue URL.';
  assert.deepEqual([outside.status, outside.body], [404, { message }]);
  const elsewhere = await newProject({ owner: stranger, visibility: 'private' });
  const own = await newIssue(elsewhere);
  assert.equal((await owner.post(`${epic.issues}/${own.id}`)).status, 403);
  assert.equal((await stranger.post(`${epic.issues}/${own.id}`)).status, 201);
  assert.equal((await guest.post(`${epic.issues}/${open.id}`)).status, 201);
});

test('only Planners and above use confidential epics, which accept only confidential issues', async () => {
  const epic = await newEpic(group, { confidential: true });
  const issue = await newIssue(project);
  assert.equal((await guest.get(epic.issues)).status, 403);
  assert.equal((await reporter.get(epic.issues)).status, 200);
  const refused = await owner.post(`${epic.issues}/${issue.id}`);
  const message = `#${issue.iid} cannot be added: cannot assign a non-confidential issue to a confidential parent. Make the issue confidential and try again.`;
  assert.deepEqual([refused.status, refused.body], [422, { message }]);
  assert.deepEqual((await owner.get(epic.issues)).body, []);
  await expectSuccess(owner.put(`${project.at}/issues/${issue.iid}`, { confidential: true }));
  assert.equal((await owner.post(`${epic.issues}/${issue.id}`)).status, 201);
});

test('adding an issue to two epics concurrently leaves one association', async () => {
  const [one, other, issue] = [await newEpic(group), await newEpic(group), await newIssue(project)];
  const both = await Promise.all([one, other].map((epic) => owner.post(`${epic.issues}/${issue.id}`)));
  assert.deepEqual(
    both.map(({ status }) => status),
    [201, 201],
  );
  const lists = await Promise.all([one, other].map((epic) => owner.get(epic.issues)));
  assert.equal(lists.flatMap(({ body }) => body).length, 1);
});

test('adding an issue to one epic twice concurrently succeeds once', async () => {
  const [epic, issue] = [await newEpic(group), await newIssue(project)];
  const both = await Promise.all([owner, guest].map((by) => by.post(`${epic.issues}/${issue.id}`)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
});

test('rejects issues of archived projects and epics of archived groups', async () => {
  const archived = await newGroup({ owner });
  const other = await newProject({ in: archived });
  const [epic, issue] = [await newEpic(archived), await newIssue(other)];
  await expectSuccess(owner.post(`${other.at}/archive`));
  assert.equal((await owner.post(`${epic.issues}/${issue.id}`)).status, 403);
  await expectSuccess(owner.post(`${other.at}/unarchive`));
  const { body } = await expectSuccess(owner.post(`${epic.issues}/${issue.id}`));
  await expectSuccess(owner.post(`${archived.at}/archive`));
  assert.equal((await owner.put(`${epic.issues}/${body.id}`)).status, 403);
  assert.equal((await owner.delete(`${epic.issues}/${body.id}`)).status, 403);
  assert.equal((await owner.get(epic.issues)).status, 200);
});

test('deleting an issue while it is removed from an epic causes no error', async () => {
  const epic = await newEpic(group);
  const given = Array.from({ length: 12 }, async () => {
    const { id, iid } = await newIssue(project);
    const { body } = await expectSuccess(owner.post(`${epic.issues}/${id}`));
    return [`${epic.issues}/${body.id}`, `${project.at}/issues/${iid}`];
  });
  const paths = await Promise.all(given);
  const gone = await Promise.all(paths.flat().map((path) => owner.delete(path)));
  for (const { status } of gone) assert.ok([200, 204, 404].includes(status), `${status}`);
});

test('an issue stays in an epic of an archived group', async () => {
  const archived = await newGroup({ owner });
  const [old, other, issue] = [await newEpic(archived), await newEpic(group), await newIssue(project)];
  await expectSuccess(owner.post(`${old.issues}/${issue.id}`));
  await expectSuccess(owner.post(`${archived.at}/archive`));
  const put = (epic_id: number) => owner.put(`${project.at}/issues/${issue.iid}`, { epic_id });
  const refused = [await owner.post(`${other.issues}/${issue.id}`), await put(other.id), await put(0)];
  for (const { status, body } of refused) assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  const elsewhere = await newProject({ in: group });
  await expectSuccess(owner.post(`${project.at}/issues/${issue.iid}/move`, { to_project_id: elsewhere.id }));
  const left = (await owner.get(old.issues)).body;
  assert.deepEqual([left.length, left[0].id], [1, issue.id]);
});
