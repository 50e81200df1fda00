import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// The epic of an issue (contract/planning.md §3.6).

const { group, owner, guest, planner, anonymous, user, newGroup, newProject } = await world({
  group: { visibility: 'public', with: ['guest', 'planner'] },
});
const sub = await newGroup({ in: group, visibility: 'public' });
const project = await newProject({ in: sub, visibility: 'public' });
const issues = `${project.at}/issues`;
const createEpic = async ({ at } = group, params = {}) =>
  (await expectSuccess(owner.post(`${at}/epics`, { title: 'Big', ...params }))).body;
const createIssue = async (params = {}) => (await expectSuccess(owner.post(issues, { title: 'T', ...params }))).body;
const listNotes = async (iid: number) =>
  (await owner.get(`${issues}/${iid}/notes?sort=asc`)).body.map(({ body }: { body: string }) => body);

test('creates an issue in an epic, moves it to another one and removes it', async () => {
  const [one, other] = [await createEpic(), await createEpic(sub)];
  const made = (await expectSuccess(guest.post(issues, { title: 'T', epic_id: one.id }))).body;
  assert.deepEqual([made.epic_iid, made.epic.id, made.epic.group_id], [one.iid, one.id, group.id]);
  const put = async (params: object) => (await expectSuccess(planner.put(`${issues}/${made.iid}`, { ...params }))).body;
  assert.equal((await put({ epic_iid: other.iid })).epic.id, other.id);
  const same = await put({ epic_id: other.id });
  assert.equal((await put({ epic_id: other.id })).updated_at, same.updated_at);
  assert.equal((await put({ epic_id: 0 })).epic, null);
  await put({ epic_id: one.id });
  assert.equal((await put({ epic_id: null })).epic_iid, null);
  const [first, second] = [`${group.full_path}&${one.iid}`, `${sub.full_path}&${other.iid}`];
  assert.deepEqual((await listNotes(made.iid)).slice(0, 4), [
    `added ${first} as parent epic`,
    `removed parent epic ${first}`,
    `added ${second} as parent epic`,
    `removed parent epic ${second}`,
  ]);
});

test('answers 404 for an unknown or unrelated epic, 403 for an unreadable one, and saves nothing', async () => {
  const { iid } = await createIssue();
  const elsewhere = await newGroup({ owner, visibility: 'public' });
  const hidden = await createEpic(group, { confidential: true });
  const wrong = [987_654, (await createEpic(elsewhere)).id, (await createEpic(await newGroup({ owner, in: sub }))).id];
  for (const epic_id of wrong) {
    const refused = await owner.put(`${issues}/${iid}`, { epic_id, title: 'X' });
    assert.deepEqual([refused.status, refused.body], [404, { message: '404 Not found' }]);
    assert.equal((await owner.post(issues, { title: 'X', epic_id })).status, 404);
  }
  assert.equal((await guest.post(issues, { title: 'X', epic_id: hidden.id })).status, 403);
  assert.equal((await owner.put(`${issues}/${iid}`, { epic_iid: 987_654 })).status, 404);
  assert.equal((await owner.get(`${issues}/${iid}`)).body.title, 'T');
  assert.deepEqual((await owner.get(`${issues}?search=X`)).body, []);
});

test('ignores the epic without permission and in personal projects', async () => {
  const epic = await createEpic();
  const { iid } = await createIssue();
  const stranger = await user();
  assert.equal((await expectSuccess(stranger.post(issues, { title: 'T', epic_id: epic.id }))).body.epic, null);
  assert.equal((await guest.put(`${issues}/${iid}`, { epic_id: epic.id })).status, 403);
  const own = await newProject({ owner });
  const { body } = await expectSuccess(owner.post(`${own.at}/issues`, { title: 'T', epic_id: 987_654 }));
  assert.ok(!('epic' in body) && !('epic_iid' in body));
});

test('issues of a confidential epic are and stay confidential', async () => {
  const epic = await createEpic(group, { confidential: true });
  const made = await createIssue({ epic_id: epic.id, confidential: false });
  assert.equal(made.confidential, true);
  const kept = await owner.put(`${issues}/${made.iid}`, { confidential: false });
  const stays = 'this issue cannot be made public since it belongs to a confidential epic';
  assert.deepEqual([kept.status, kept.body], [400, { message: { issue: [stays] } }]);
  const open = await createIssue();
  const refused = await owner.put(`${issues}/${open.iid}`, { epic_id: epic.id });
  const isPublic = 'this issue cannot be assigned to a confidential epic since it is public';
  assert.deepEqual([refused.status, refused.body], [400, { message: { issue: [isPublic] } }]);
  assert.equal((await owner.put(`${issues}/${open.iid}`, { epic_id: epic.id, confidential: true })).status, 200);
  assert.equal((await owner.put(`${issues}/${made.iid}`, { epic_id: 0, confidential: false })).status, 200);
});

test('hides an epic that the caller may not read, also from filters', async () => {
  const epic = await createEpic(group, { confidential: true });
  const { iid } = (await expectSuccess(guest.post(issues, { title: 'T', confidential: true }))).body;
  await expectSuccess(owner.put(`${issues}/${iid}`, { epic_id: epic.id }));
  const seen = (await guest.get(`${issues}/${iid}`)).body;
  assert.deepEqual([seen.confidential, seen.epic, seen.epic_iid], [true, null, null]);
  assert.deepEqual((await guest.get(`${issues}?epic_id=${epic.id}`)).body, []);
  assert.equal((await owner.get(`${issues}?epic_id=${epic.id}`)).body[0].epic.id, epic.id);
  assert.equal((await guest.get(`${issues}?iids=${iid}`)).body[0].epic, null);
  const found = async (who: typeof guest, epic_id: string) =>
    (await expectSuccess(who.get(issues, { epic_id, iids: iid }))).body.length;
  assert.deepEqual([await found(guest, 'Any'), await found(guest, 'None')], [0, 1]);
  assert.deepEqual([await found(owner, 'Any'), await found(owner, 'None')], [1, 0]);
  assert.deepEqual([await found(planner, 'Any'), await found(planner, 'None')], [1, 0]);
});

test('filters issues by epic, by any epic and by none', async () => {
  const place = await newProject({ in: sub, visibility: 'public' });
  const epic = await createEpic();
  for (const [title, epic_id] of [
    ['in', epic.id],
    ['elsewhere', (await createEpic()).id],
    ['out', null],
  ]) {
    await expectSuccess(owner.post(`${place.at}/issues`, { title, epic_id }));
  }
  for (const [filter, found] of Object.entries({ [epic.id]: ['in'], None: ['out'], any: ['elsewhere', 'in'] })) {
    for (const at of [place.at, sub.at]) {
      const { body } = await anonymous.get(`${at}/issues?epic_id=${filter}&search=${found[0]}`);
      assert.deepEqual([body[0]?.title, body[0]?.project_id], [found[0], place.id], `${at} ${filter}`);
    }
    const { body } = await anonymous.get(`${place.at}/issues?epic_id=${filter}`);
    assert.deepEqual(
      body.map(({ title }: { title: string }) => title),
      found,
    );
  }
});

test('moving an issue moves its epic association; deleting it removes the association', async () => {
  const epic = await createEpic();
  const target = await newProject({ in: group, visibility: 'public' });
  const { iid } = await createIssue({ epic_id: epic.id });
  const list = async () => (await owner.get(`${group.at}/epics/${epic.iid}/issues`)).body;
  const [before] = await list();
  const { body } = await expectSuccess(owner.post(`${issues}/${iid}/move`, { to_project_id: target.id }));
  const [after, ...others] = await list();
  assert.deepEqual([after.id, after.epic_issue_id, others], [body.id, before.epic_issue_id, []]);
  assert.equal((await owner.get(`${issues}/${iid}`)).body.epic, null);
  await expectSuccess(owner.delete(`${target.at}/issues/${body.iid}`));
  assert.deepEqual(await list(), []);
});

test('the free tier has no epics', async () => {
  const free = await world({ project: {}, env: { HEARTH_TIER: 'free' } });
  const place = await free.newProject({ in: await free.newGroup() });
  const at = `${place.at}/issues`;
  assert.equal((await place.owner.post(at, { title: 'T', epic_id: 1 })).status, 404);
  const { body } = await expectSuccess(place.owner.post(at, { title: 'T', epic_id: 0 }));
  assert.ok(!('epic' in body));
});
