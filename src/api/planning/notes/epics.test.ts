import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, type Group, world } from '#test/support/world.ts';
import { listNoteBodies, newIssue } from './fixtures.testing.ts';

// Notes on epics. Their paths contain the id of the epic, not its iid.

const { group, owner, guest, planner, user, newGroup, newProject } = await world({
  group: { visibility: 'private', with: ['guest', 'planner'] },
});

async function newEpic(of: Group = group, params: object = {}) {
  const { id, iid } = (await expectSuccess(of.owner.post(`${of.at}/epics`, { title: 'Big', ...params }))).body;
  return { id: id as number, iid: iid as number, notes: `${of.at}/epics/${id}/notes`, at: `${of.at}/epics/${iid}` };
}

test('creates, counts, updates and deletes a comment on an epic, without a project', async () => {
  const epic = await newEpic();
  const note = (await expectSuccess(guest.post(epic.notes, { body: 'Seen' }))).body;
  const { noteable_id, noteable_type, project_id, noteable_iid, author, body } = note;
  assert.deepEqual(
    [noteable_id, noteable_type, project_id, noteable_iid, author.id, body],
    [epic.id, 'Epic', null, null, guest.id, 'Seen'],
  );
  const at = `${epic.notes}/${note.id}`;
  assert.equal((await planner.put(at, { body: 'Other' })).status, 403);
  assert.equal((await expectSuccess(guest.put(at, { body: 'Again' }))).body.body, 'Again');
  assert.deepEqual((await owner.get(at)).body.body, 'Again');
  await expectSuccess(owner.delete(at));
  assert.deepEqual(await listNoteBodies(guest, epic), []);
});

test('finds an epic by id through its group and ancestors only', async () => {
  const low = await newGroup({ in: group });
  const epic = await newEpic(low);
  await expectSuccess(owner.post(epic.notes, { body: 'Seen' }));
  const through = ({ at }: Group, id: number) => `${at}/epics/${id}/notes`;
  assert.equal((await owner.get(through(group, epic.id))).body.length, 1);
  const other = await newGroup({ owner });
  for (const path of [through(other, epic.id), through(low, 987_654)]) {
    const { status, body } = await owner.get(path);
    assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
  }
});

test('restricts confidential epics and internal notes to Planners', async () => {
  const hidden = await newEpic(group, { confidential: true });
  for (const call of [guest.get(hidden.notes), guest.post(hidden.notes, { body: 'x' })]) {
    assert.equal((await call).status, 404);
  }
  assert.equal((await planner.post(hidden.notes, { body: 'x' })).status, 201);
  const epic = await newEpic();
  assert.equal((await guest.post(epic.notes, { body: 'x', internal: true })).status, 403);
  await expectSuccess(planner.post(epic.notes, { body: 'x', internal: true }));
  const seen = async (caller: Caller) => (await listNoteBodies(caller, epic)).length;
  assert.deepEqual([await seen(guest), await seen(planner), await seen(owner)], [0, 1, 1]);
});

test('requires sign-in and read access, and rejects comments in an archived group', async () => {
  const open = await newGroup({ owner, visibility: 'public' });
  const epic = await newEpic(open);
  const stranger = await user();
  assert.equal((await stranger.post(epic.notes, { body: 'Seen' })).status, 201);
  assert.equal((await stranger.get((await newEpic()).notes)).status, 404);
  await expectSuccess(owner.post(`${open.at}/archive`));
  assert.equal((await stranger.post(epic.notes, { body: 'Seen' })).status, 403);
  assert.deepEqual(await listNoteBodies(stranger, epic), ['Seen']);
});

test('creates one cross-reference between epics and issues that mention each other', async () => {
  const project = await newProject({ in: group });
  const [epic, issue] = [await newEpic(), await newIssue(project)];
  const [epicName, issueName] = [`${group.full_path}&${epic.iid}`, `${project.path_with_namespace}#${issue.iid}`];
  for (const body of [`&${epic.iid}`, epicName]) await expectSuccess(owner.post(issue.notes, { body }));
  await expectSuccess(owner.post(epic.notes, { body: `${issueName}, ${project.path}#${issue.iid}` }));
  const system = { activity_filter: 'only_activity' };
  assert.deepEqual(await listNoteBodies(owner, epic, system), [`mentioned in issue ${issueName}`]);
  assert.deepEqual(await listNoteBodies(owner, issue, system), [`mentioned in epic ${epicName}`]);
});

test('hides a mention from callers who may not read the mentioning epic', async () => {
  const project = await newProject({ in: group });
  const [epic, issue] = [await newEpic(group, { confidential: true }), await newIssue(project)];
  await expectSuccess(owner.post(epic.notes, { body: `${project.path}#${issue.iid}` }));
  assert.deepEqual(
    [(await listNoteBodies(guest, issue)).length, (await listNoteBodies(planner, issue)).length],
    [0, 1],
  );
});

test('forbids notes on epics on the free tier before validating parameters', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' }, group: {} });
  for (const path of ['epics/1/notes', 'epics/x/notes', 'epics/1/resource_state_events']) {
    const { status, body } = await free.owner.get(`${free.group.at}/${path}`);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
  assert.equal((await free.anonymous.get(`${free.group.at}/epics/1/notes`)).status, 401);
});
