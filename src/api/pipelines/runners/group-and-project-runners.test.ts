import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Runner, world } from '#test/support/world.ts';

// contract/runners.md §1.6 (GET), §1.7

const here = await world({ group: { with: ['developer', 'maintainer'] } });
const { group, owner, maintainer, developer, newRunner, newGroup, newProject } = here;
const sub = await newGroup({ in: group });
const project = await newProject({ in: sub });
const instance = await newRunner();
const above = await newRunner({ in: group });
const within = await newRunner({ in: sub });
const own = await newRunner({ in: project });

const ids = async (caller: Caller, path: string): Promise<number[]> =>
  (await caller.get(path, { per_page: 100 })).body.map(({ id }: Runner) => id);
const everything = [instance.id, above.id, within.id, own.id];

test("a project lists its own runners, those of groups above and the instance's, each where it is switched on", async () => {
  const listed = () => ids(owner, `${project.at}/runners`);
  assert.deepEqual(await listed(), everything);
  await owner.put(project.at, { group_runners_enabled: false });
  assert.deepEqual(await listed(), [instance.id, own.id]);
  await owner.put(project.at, { group_runners_enabled: true, shared_runners_enabled: false });
  assert.deepEqual(await listed(), [above.id, within.id, own.id]);
  await owner.put(project.at, { shared_runners_enabled: true });
  await owner.put(group.at, { shared_runners_setting: 'disabled_and_unoverridable' });
  assert.deepEqual(await listed(), [above.id, within.id, own.id]);
  await owner.put(group.at, { shared_runners_setting: 'disabled_and_overridable' });
  assert.deepEqual(await listed(), everything);
  await owner.put(group.at, { shared_runners_setting: 'enabled' });
});

test('a group lists its runners and those of groups above, never those below, and those of the instance where they are allowed', async () => {
  assert.deepEqual(await ids(maintainer, `${sub.at}/runners`), [instance.id, above.id, within.id]);
  assert.deepEqual(await ids(owner, `${group.at}/runners`), [instance.id, above.id]);
  for (const [shared_runners_setting, below] of [
    ['disabled_and_overridable', [instance.id, above.id, within.id]],
    ['disabled_and_unoverridable', [above.id, within.id]],
  ] as const) {
    await owner.put(group.at, { shared_runners_setting });
    assert.deepEqual(await ids(owner, `${group.at}/runners`), [above.id]);
    assert.deepEqual(await ids(owner, `${sub.at}/runners`), below);
  }
  await owner.put(group.at, { shared_runners_setting: 'enabled' });
  assert.deepEqual((await owner.get(`${group.at}/runners`, { type: 'project_type' })).body, []);
});

test('allows only maintainers to list runners of projects and groups', async () => {
  const stranger = await here.user();
  for (const [at, kind] of [
    [project.at, 'Project'],
    [group.at, 'Group'],
  ] as const) {
    const { status, body } = await developer.get(`${at}/runners`);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
    assert.deepEqual((await stranger.get(`${at}/runners`)).body, { message: `404 ${kind} Not Found` });
    assert.equal((await maintainer.get(`${at}/runners`)).status, 200);
  }
});

test('does not disable runners by the text of another attribute', async () => {
  const place = await newProject({ in: group });
  const text = '"group_runners_enabled":false,"shared_runners_enabled":false';
  await owner.put(place.at, { merge_commit_template: text, ci_config_path: text });
  assert.deepEqual(await ids(owner, `${place.at}/runners`), [instance.id, above.id]);
});

test('accepts a generated registration token only for its group or project', async () => {
  const place = await newProject({ in: group });
  const { runners_token: token } = (await maintainer.get(place.at)).body;
  const register = async (by: string) => (await here.anonymous.post('/runners', { token: by })).status;
  assert.equal(await register(token), 201);
  for (const other of [`g${group.id}`, `p${project.id}`, 'p999999999']) {
    assert.equal(await register(token.replace(/p\d+/, other)), 403);
  }
  const { body } = await maintainer.post(`${place.at}/runners/reset_registration_token`);
  assert.deepEqual([await register(token), await register(body.token)], [403, 201]);
});

test('the registration token is shown to owners of groups and maintainers of projects, null while off', async () => {
  const { runners_token: ofGroup } = (await owner.get(group.at)).body;
  const { runners_token: ofProject } = (await maintainer.get(project.at)).body;
  for (const token of [ofGroup, ofProject]) assert.match(token, /^GR1348941[gp]\d+-[\w-]{43}$/);
  assert.equal((await owner.get(group.at)).body.runners_token, ofGroup);
  assert.equal((await here.anonymous.post('/runners', { token: ofProject })).status, 201);
  assert.equal('runners_token' in (await maintainer.get(group.at)).body, false);
  assert.equal('runners_token' in (await developer.get(project.at)).body, false);
  const { body } = await owner.post(`${group.at}/runners/reset_registration_token`);
  assert.equal((await owner.get(group.at)).body.runners_token, body.token);
  await owner.put(group.at, { allow_runner_registration_token: false });
  assert.equal((await owner.get(group.at)).body.runners_token, null);
  assert.equal((await maintainer.get(project.at)).body.runners_token, null);
});
