import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { group, owner, planner, guest, reporter, anonymous, newGroup } = await world({
  group: { visibility: 'private', with: ['planner', 'guest', 'reporter'] },
});
const epics = `${group.at}/epics`;
const createEpic = async (params = {}, at = epics) =>
  (await expectSuccess(owner.post(at, { title: 'Big', ...params }))).body;

test('returns the whole epic on create and get', async () => {
  const made = await createEpic({ description: 'D', color: '#abc', labels: 'bug' });
  const at = `${new URL(made.web_url).origin}/api/v4/groups/${group.id}`;
  const { created_at, updated_at, author, ...rest } = made;
  assert.equal(created_at, updated_at);
  assert.equal(author.id, owner.id);
  assert.deepEqual(rest, {
    id: made.id,
    work_item_id: made.id,
    iid: made.iid,
    color: '#aabbcc',
    text_color: '#1F1E24',
    group_id: group.id,
    parent_id: null,
    parent_iid: null,
    imported: false,
    imported_from: 'none',
    title: 'Big',
    description: 'D',
    confidential: false,
    ...NO_DATES,
    state: 'opened',
    web_edit_url: `/groups/${group.full_path}/-/epics/${made.iid}`,
    web_url: `${group.web_url}/-/epics/${made.iid}`,
    references: { short: `&${made.iid}`, relative: `&${made.iid}`, full: `${group.full_path}&${made.iid}` },
    closed_at: null,
    labels: ['bug'],
    upvotes: 0,
    downvotes: 0,
    _links: { self: `${at}/epics/${made.iid}`, epic_issues: `${at}/epics/${made.iid}/issues`, group: at, parent: null },
  });
  const { subscribed, ...read } = (await owner.get(`${epics}/${made.iid}`)).body;
  assert.deepEqual([subscribed, read], [true, made]);
  assert.equal((await guest.get(`${epics}/${made.iid}`)).body.subscribed, false);
});

const NO_DATES = {
  start_date: null,
  start_date_is_fixed: false,
  start_date_fixed: null,
  start_date_from_inherited_source: null,
  start_date_from_milestones: null,
  end_date: null,
  due_date: null,
  due_date_is_fixed: false,
  due_date_fixed: null,
  due_date_from_inherited_source: null,
  due_date_from_milestones: null,
};

test('Planners and above create epics', async () => {
  assert.equal((await guest.post(epics, { title: 'T' })).status, 403);
  assert.equal((await planner.post(epics, { title: 'T' })).status, 201);
  assert.equal((await reporter.post(epics, { title: 'T' })).status, 201);
});

test('concurrently created epics get consecutive iids', async () => {
  const made = await Promise.all(Array.from({ length: 50 }, () => createEpic()));
  const iids = made.map(({ iid }) => iid).sort((one, other) => one - other);
  assert.deepEqual(
    iids,
    iids.map((_, index) => iids[0] + index),
  );
});

test('checks group, tier, parameters, permission and values in this order', async () => {
  const hidden = await newGroup();
  const free = await world({ group: { visibility: 'public' }, env: { HEARTH_TIER: 'free' } });
  assert.equal((await anonymous.post(epics, {})).status, 401);
  assert.equal((await guest.post(`${hidden.at}/epics`, {})).status, 404);
  assert.equal((await free.owner.post(`${free.group.at}/epics`, {})).status, 403);
  assert.equal((await free.anonymous.get(`${free.group.at}/epics?state=x`)).status, 403);
  const [missing, blank] = [await guest.post(epics, {}), await guest.post(epics, { title: '' })];
  assert.deepEqual([missing.status, missing.body], [400, { error: 'title is missing' }]);
  assert.equal(blank.status, 403);
  const wrong = await planner.post(epics, { title: ' ', color: 'none' });
  const message = { title: ["can't be blank"], color: ['must be a valid color code'] };
  assert.deepEqual([wrong.status, wrong.body], [400, { message }]);
  const long = await planner.post(epics, { title: 'x'.repeat(256) });
  assert.deepEqual(long.body, { message: { title: ['is too long (maximum is 255 characters)'] } });
});

test('only Owners set the creation time', async () => {
  const created_at = '2025-05-05T05:05:05.000Z';
  assert.equal((await createEpic({ created_at })).created_at, created_at);
  assert.notEqual((await planner.post(epics, { title: 'T', created_at })).body.created_at, created_at);
});

test('everybody reads epics of public groups; Planners and above read confidential ones', async () => {
  const open = await newGroup({ owner, visibility: 'public', with: ['guest', 'planner'] });
  const epic = await createEpic({}, `${open.at}/epics`);
  const hidden = await createEpic({ confidential: true }, `${open.at}/epics`);
  assert.equal((await anonymous.get(`${open.at}/epics/${epic.iid}`)).status, 200);
  assert.equal((await anonymous.get(`${open.at}/epics/987654`)).status, 404);
  for (const by of [anonymous, open.guest]) {
    assert.equal((await by.get(`${open.at}/epics/${hidden.iid}`)).status, 403);
    assert.deepEqual(
      (await by.get(`${open.at}/epics`)).body.map(({ id }: { id: number }) => id),
      [epic.id],
    );
  }
  assert.equal((await open.planner.get(`${open.at}/epics/${hidden.iid}`)).status, 200);
});

test('epics of archived groups are read-only', async () => {
  const archived = await newGroup({ owner });
  const { iid } = await createEpic({}, `${archived.at}/epics`);
  await expectSuccess(owner.post(`${archived.at}/archive`));
  const at = `${archived.at}/epics/${iid}`;
  assert.equal((await owner.post(`${archived.at}/epics`, { title: 'T' })).status, 403);
  assert.equal((await owner.put(at, { title: 'T' })).status, 403);
  assert.equal((await owner.delete(at)).status, 403);
  assert.equal((await owner.get(at)).status, 200);
});

test('the premium tier has epics without child epics', async () => {
  const premium = await world({ group: {}, env: { HEARTH_TIER: 'premium' } });
  const at = `${premium.group.at}/epics`;
  const { id } = (await expectSuccess(premium.owner.post(at, { title: 'T' }))).body;
  assert.equal((await expectSuccess(premium.owner.post(at, { title: 'T', parent_id: id }))).body.parent_id, null);
});
