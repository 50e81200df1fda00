import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMAIL_EVENTS } from '#database/schema.ts';
import { type Caller, world } from '#test/support/world.ts';

const { user, root, anonymous, tokenOf, newProject, newGroup, server } = await world();
const own = '/notification_settings';
const { database } = server.services;

const rowsOf = ({ id }: Caller) =>
  database.reader.selectFrom('notification_settings').selectAll().where('user_id', '=', id).execute();
const eventsOf = async (caller: Caller, path: string) => (await caller.get(path)).body.events;

test('returns the defaults without storing anything', async () => {
  const ada = await user();
  const [project, group] = [await newProject({ owner: ada }), await newGroup({ owner: ada })];
  const email = `${ada.username}@hearth.test`;
  assert.deepEqual((await ada.get(own)).body, { level: 'participating', notification_email: email });
  assert.deepEqual((await ada.get(`${project.at}${own}`)).body, { level: 'global' });
  assert.deepEqual((await ada.get(`${group.at}${own}`)).body, { level: 'global' });
  assert.deepEqual(await rowsOf(ada), []);
});

test('accepts each level by JSON, form and query', async () => {
  const ada = await user();
  const project = await newProject({ owner: ada });
  for (const level of ['disabled', 'participating', 'watch', 'global', 'mention']) {
    for (const path of [own, `${project.at}${own}`]) {
      assert.equal((await ada.put(path, { level })).body.level, level);
    }
  }
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  assert.equal((await ada.send('PUT', own, { raw: 'level=custom', headers })).body.level, 'custom');
  assert.equal((await ada.send('PUT', `${own}?level=watch`)).body.level, 'watch');
  assert.deepEqual((await ada.put(own)).body, (await ada.get(own)).body);
});

const wrong: [params: object, body: object][] = [
  [{ level: 'Watch' }, { message: "'Watch' is not a valid level" }],
  [{ level: 2 }, { message: "'2' is not a valid level" }],
  [{ level: '' }, { message: { level: ["can't be blank"] } }],
  [{ level: null }, { message: { level: ["can't be blank"] } }],
  [{ level: 'watch', new_note: 'perhaps' }, { error: 'new_note is invalid' }],
];

test('rejects invalid levels and events without changing anything', async () => {
  const ada = await user();
  const project = await newProject({ owner: ada });
  await ada.put(own, { level: 'custom', new_note: true });
  const before = (await ada.get(own)).body;
  for (const [params, body] of wrong) {
    for (const path of [own, `${project.at}${own}`]) {
      const answer = await ada.put(path, params as Record<string, unknown>);
      assert.deepEqual([answer.status, answer.body], [400, body]);
    }
  }
  assert.deepEqual((await ada.get(own)).body, before);
  assert.equal((await rowsOf(ada)).length, 1);
});

test('returns every event as a boolean at the level custom', async () => {
  const ada = await user();
  const [project, group] = [await newProject({ owner: ada }), await newGroup({ owner: ada })];
  for (const path of [own, `${group.at}${own}`, `${project.at}${own}`]) await ada.put(path, { level: 'custom' });
  const defaults = Object.fromEntries(
    EMAIL_EVENTS.map((event) => [event, ['failed_pipeline', 'fixed_pipeline', 'moved_project'].includes(event)]),
  );
  const { new_epic, approver, ...others } = defaults;
  assert.deepEqual(await eventsOf(ada, own), defaults);
  assert.deepEqual(await eventsOf(ada, `${group.at}${own}`), { ...others, new_epic });
  assert.deepEqual(await eventsOf(ada, `${project.at}${own}`), { ...others, approver });
});

test('omits new_epic below ultimate and approver below premium', async () => {
  for (const [tier, expected] of [['premium', { approver: false }] as const, ['free', {}] as const]) {
    const { root } = await world({ env: { HEARTH_TIER: tier } });
    const { events } = (await root.put(own, { level: 'custom', new_epic: true })).body;
    const { new_epic, approver } = events;
    assert.deepEqual({ new_epic, approver }, { new_epic: undefined, approver: undefined, ...expected });
    assert.equal((await root.put(own, { new_epic: 'neither' })).status, 200);
    assert.equal((await root.put(own, { approver: 'neither' })).status, tier === 'free' ? 200 : 400);
  }
});

test('keeps events at other levels, and resets an event by null', async () => {
  const ada = await user();
  assert.deepEqual((await ada.put(own, { new_note: true, moved_project: false })).body.events, undefined);
  await ada.put(own, { level: 'custom' });
  await ada.put(own, { level: 'watch' });
  const shown = (await ada.put(own, { level: 'custom' })).body.events;
  assert.deepEqual([shown.new_note, shown.moved_project], [true, false]);
  await ada.put(own, { new_note: null, moved_project: '' });
  const reset = await eventsOf(ada, own);
  assert.deepEqual([reset.new_note, reset.moved_project], [false, true]);
});

test('accepts settings of every caller who can see the project or group', async () => {
  const ada = await user();
  const [open, closed] = [await newProject({ owner: root, visibility: 'public' }), await newProject({ owner: root })];
  const [public_, private_] = [await newGroup({ owner: root, visibility: 'public' }), await newGroup({ owner: root })];
  for (const { at } of [open, public_]) assert.equal((await ada.put(`${at}${own}`, { level: 'watch' })).status, 200);
  assert.deepEqual((await ada.get(`${closed.at}${own}`)).body, { message: '404 Project Not Found' });
  assert.deepEqual((await ada.get(`${private_.at}${own}`)).body, { message: '404 Group Not Found' });
  for (const path of [own, `${open.at}${own}`, `${public_.at}${own}`]) {
    assert.deepEqual((await anonymous.get(path)).body, { message: '401 Unauthorized' });
    assert.equal((await anonymous.put(path, { level: 'watch' })).status, 401);
  }
});

test('forbids read-only tokens to update, and lets administrators update by sudo', async () => {
  const ada = await user();
  const reading = await tokenOf(ada, ['read_api']);
  assert.equal((await reading.get(own)).status, 200);
  assert.equal((await reading.put(own, { level: 'watch' })).status, 403);
  await root.send('PUT', own, { params: { level: 'mention' }, headers: { Sudo: ada.username } });
  assert.equal((await ada.get(own)).body.level, 'mention');
});

test('accepts settings for an archived project', async () => {
  const { owner, at } = await newProject({ owner: await user() });
  await owner.post(`${at}/archive`);
  assert.equal((await owner.put(`${at}${own}`, { level: 'disabled' })).status, 200);
});

test('merges concurrent first writes into one row', async () => {
  const ada = await user();
  const events = EMAIL_EVENTS.slice(0, 19);
  const answers = await Promise.all(events.map((event) => ada.put(own, { level: 'custom', [event]: true })));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal((await rowsOf(ada)).length, 1);
  const shown = await eventsOf(ada, own);
  assert.deepEqual(
    events.filter((event) => !shown[event]),
    [],
  );
});
