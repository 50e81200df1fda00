import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

// contract/runners.md §1.8

const here = await world({ group: { with: ['maintainer'] }, env: { HEARTH_REGISTRATION_TOKEN: 'first-token-of-all' } });
const { anonymous, root, group, owner, newProject, newGroup } = here;

const tokenOf = async (at: string, by: Caller): Promise<string> =>
  (await by.post(`${at}/runners/reset_registration_token`)).body.token;

test('registers a runner for the instance, group or project of the token', async () => {
  const project = await newProject({ in: group });
  const tokens = [
    ['group_type', await tokenOf(group.at, owner)],
    ['project_type', await tokenOf(project.at, owner)],
    ['instance_type', 'first-token-of-all'],
  ] as const;
  for (const [type, token] of tokens) {
    const { status, body } = await anonymous.post('/runners', { token });
    assert.equal(status, 201, type);
    assert.deepEqual(Object.keys(body), ['id', 'token', 'token_expires_at']);
    assert.match(body.token, /^glrtr-[\w-]{20}$/);
    const shown = (await root.get(`/runners/${body.id}`)).body;
    assert.deepEqual([shown.runner_type, shown.is_shared], [type, type === 'instance_type']);
    assert.equal('created_by' in shown, false);
    assert.deepEqual(
      [shown.projects.map(({ id }: { id: number }) => id), shown.groups.map(({ id }: { id: number }) => id)],
      [type === 'project_type' ? [project.id] : [], type === 'group_type' ? [group.id] : []],
    );
  }
});

test('stores the parameters of the registration', async () => {
  const info = { name: 'gitlab-runner', version: '18.1.0', revision: 'abc', platform: 'linux', architecture: 'amd64' };
  const said = { description: 'box', paused: true, locked: true, run_untagged: false, tag_list: 'ruby, docker,ruby' };
  const more = { access_level: 'ref_protected', maximum_timeout: 3600, maintenance_note: 'new disk', info };
  const { body } = await anonymous.post('/runners', { token: await tokenOf(group.at, owner), ...said, ...more });
  const shown = (await owner.get(`/runners/${body.id}`)).body;
  const { name, version, tag_list, status, maintenance_note } = shown;
  assert.deepEqual(
    [name, version, tag_list, status],
    ['gitlab-runner', '18.1.0', ['ruby', 'docker'], 'never_contacted'],
  );
  const { description, paused, locked, run_untagged, access_level, maximum_timeout } = shown;
  assert.deepEqual([description, paused, locked, run_untagged], ['box', true, true, false]);
  assert.deepEqual([access_level, maximum_timeout, maintenance_note], ['ref_protected', 3600, 'new disk']);
});

test('accepts deprecated parameters, but not together with their replacements', async () => {
  const token = await tokenOf(group.at, owner);
  const { body } = await anonymous.post('/runners', { token, active: false, maintainer_note: 'old word' });
  const shown = (await owner.get(`/runners/${body.id}`)).body;
  assert.deepEqual([shown.paused, shown.maintenance_note], [true, 'old word']);
  const both = { active: true, paused: true, maintainer_note: 'a', maintenance_note: 'b' };
  assert.deepEqual((await anonymous.post('/runners', { token, ...both })).body, {
    error: 'maintainer_note, maintenance_note are mutually exclusive, active, paused are mutually exclusive',
  });
});

test('returns 403 for wrong, replaced and empty tokens, and 400 for a missing one', async () => {
  const old = await tokenOf(group.at, owner);
  const { body } = await anonymous.post('/runners', { token: old });
  await tokenOf(group.at, owner);
  for (const token of [old, 'GR1348941wrong', '', body.token]) {
    const refusal = await anonymous.post('/runners', { token });
    assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden - invalid token supplied' }]);
  }
  assert.deepEqual((await anonymous.post('/runners', {})).body, { error: 'token is missing' });
  assert.equal((await anonymous.post('/runners/verify', { token: body.token })).status, 200);
});

test('rejects invalid parameters with errors by field', async () => {
  const wrong = { run_untagged: false, maximum_timeout: 599, maintenance_note: 'x'.repeat(1025) };
  const { status, body } = await anonymous.post('/runners', { token: await tokenOf(group.at, owner), ...wrong });
  assert.equal(status, 400);
  assert.deepEqual(body.message, {
    maximum_timeout: ['needs to be at least 10 minutes'],
    tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'],
    maintenance_note: ['is too long (maximum is 1024 characters)'],
  });
});

test('returns 410 below a top-level group that disables registration', async () => {
  const top = await newGroup();
  const sub = await newGroup({ in: top });
  const project = await newProject({ in: sub });
  const tokens = [
    await tokenOf(top.at, top.owner),
    await tokenOf(sub.at, top.owner),
    await tokenOf(project.at, top.owner),
  ];
  await top.owner.put(top.at, { allow_runner_registration_token: false });
  for (const token of tokens) {
    const { status, body } = await anonymous.post('/runners', { token });
    assert.deepEqual([status, body], [410, { message: '410 Gone - runner registration disallowed' }]);
  }
  for (const at of [top.at, sub.at, project.at]) {
    const { status, body } = await top.owner.post(`${at}/runners/reset_registration_token`);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
  assert.equal((await anonymous.post('/runners', { token: await tokenOf(group.at, owner) })).status, 201);
});

test('switched off for the instance, any token is 410, and none is given', async () => {
  const token = await tokenOf(group.at, owner);
  await root.put('/application/settings', { allow_runner_registration_token: false });
  for (const some of [token, 'wrong', 'first-token-of-all']) {
    assert.equal((await anonymous.post('/runners', { token: some })).status, 410);
  }
  assert.equal((await root.post('/runners/reset_registration_token')).status, 403);
  const params = { runner_type: 'group_type', group_id: group.id };
  assert.equal((await owner.post('/user/runners', params)).status, 201);
  await root.put('/application/settings', { allow_runner_registration_token: true });
  assert.equal((await anonymous.post('/runners', { token })).status, 201);
});

test('rejects registration tokens of groups while only projects may register runners', async () => {
  const token = await tokenOf(group.at, owner);
  await root.put('/application/settings', { valid_runner_registrars: ['project'] });
  assert.equal((await anonymous.post('/runners', { token })).status, 403);
  await root.put('/application/settings', { valid_runner_registrars: ['project', 'group'] });
});

test('invalidates the old registration token of the instance on a reset', async () => {
  const { status, body } = await root.post('/runners/reset_registration_token');
  assert.equal(status, 201);
  assert.deepEqual(Object.keys(body), ['token']);
  assert.equal((await anonymous.post('/runners', { token: 'first-token-of-all' })).status, 403);
  assert.equal((await anonymous.post('/runners', { token: body.token })).status, 201);
});
