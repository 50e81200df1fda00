import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { writeToBranch } from './fixtures.testing.ts';

const { newProject } = await world();

test('admits Maintainers by default', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  const created = await owner.post(url, { name: '*-stable', merge_access_level: 30 });
  assert.equal(created.status, 201);
  const levels = (kind: string) => created.body[`${kind}_access_levels`].map((level: object) => ({ ...level, id: 0 }));
  assert.deepEqual(levels('push'), [
    {
      id: 0,
      access_level: 40,
      access_level_description: 'Maintainers',
      deploy_key_id: null,
      user_id: null,
      group_id: null,
    },
  ]);
  assert.equal(levels('merge')[0].access_level_description, 'Developers + Maintainers');
});

test('allows one rule per name, also for concurrent requests', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  assert.equal((await owner.post(url, { name: '*-stable' })).status, 201);
  const again = await owner.post(url, { name: '*-stable' });
  assert.deepEqual([again.status, again.body], [409, { message: "Protected branch '*-stable' already exists" }]);
  const race = await Promise.all([1, 2].map(() => owner.post(url, { name: 'race' })));
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, 409]);
});

test('rejects a missing name, unknown levels and users that are not an array', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  assert.deepEqual((await owner.post(url, {})).body, { error: 'name is missing' });
  assert.deepEqual((await owner.post(url, { name: '' })).body, { message: ["Name can't be blank"] });
  assert.deepEqual((await owner.post(url, { name: 'x', push_access_level: 20 })).body, {
    error: 'push_access_level does not have a valid value',
  });
  assert.deepEqual((await owner.post(url, { name: 'x', allowed_to_push: ['x'] })).body, {
    error: 'allowed_to_push is invalid',
  });
});

test('finds a rule only by its exact name and deletes it once', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  assert.equal((await owner.post(url, { name: '*-stable' })).status, 201);
  assert.equal((await owner.get(`${url}/*-stable`)).body.name, '*-stable');
  assert.deepEqual((await owner.get(`${url}/1-stable`)).body, { message: '404 Not found' });
  assert.equal((await owner.delete(`${url}/*-stable`)).status, 204);
  assert.equal((await owner.delete(`${url}/*-stable`)).status, 404);
});

test('matches slashes by wildcards, grants by any rule, and blocks administrators at level 0', async () => {
  const { project, owner, developer, root, user } = await world({ project: { readme: true, with: ['developer'] } });
  const url = `${project.at}/protected_branches`;
  await owner.post(url, { name: 'rel*', push_access_level: 0, merge_access_level: 0 });
  assert.equal((await writeToBranch(root, project, 'rel/a/b', 'a.txt')).status, 403);
  await owner.post(url, { name: 'rel/a*', allowed_to_push: [{ user_id: developer.id }] });
  assert.equal((await writeToBranch(developer, project, 'rel/a/b', 'b.txt')).status, 201);
  assert.equal((await writeToBranch(root, project, 'rel/a/c', 'c.txt')).status, 403);
  const stranger = await user();
  const refused = await owner.post(url, { name: 'y', allowed_to_push: [{ user_id: stranger.id }] });
  assert.deepEqual(
    [refused.status, refused.body],
    [422, { message: ['Push access levels user is not a member of the project'] }],
  );
});

test('supports only roles on tier free, without unprotect levels', async () => {
  const { user } = await world({ env: { HEARTH_TIER: 'free' } });
  const owner = await user();
  const project = await newProject({ owner, readme: true });
  const url = `${project.at}/protected_branches`;
  const created = await owner.post(url, { name: 'x' });
  assert.deepEqual(Object.keys(created.body), [
    'id',
    'name',
    'push_access_levels',
    'merge_access_levels',
    'allow_force_push',
  ]);
  assert.equal((await owner.post(url, { name: 'y', allowed_to_push: [{ user_id: owner.id }] })).status, 422);
  assert.equal((await owner.post(url, { name: 'z', unprotect_access_level: 60 })).status, 201);
  assert.equal((await owner.patch(`${url}/z`, { allow_force_push: true })).status, 200);
  assert.equal((await owner.delete(`${url}/z`)).status, 204);
});

const WHOLE = {
  name: 'whole/*',
  push_access_level: 0,
  merge_access_level: 60,
  unprotect_access_level: 30,
  allow_force_push: true,
  code_owner_approval_required: true,
};

const level = (access_level: number, access_level_description: string) => ({
  access_level,
  access_level_description,
  user_id: null,
  group_id: null,
});

test('returns a rule with a description of each level', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  const { status, body } = await owner.post(url, WHOLE);
  const ids = ['push', 'merge', 'unprotect'].map((kind) => body[`${kind}_access_levels`][0].id);
  assert.deepEqual(
    [status, body],
    [
      201,
      {
        id: body.id,
        name: 'whole/*',
        push_access_levels: [{ id: ids[0], ...level(0, 'No one'), deploy_key_id: null }],
        merge_access_levels: [{ id: ids[1], ...level(60, 'Instance admins') }],
        allow_force_push: true,
        unprotect_access_levels: [{ id: ids[2], ...level(30, 'Developers + Maintainers') }],
        code_owner_approval_required: true,
        inherited: false,
      },
    ],
  );
  assert.deepEqual((await owner.get(`${url}/whole%2F*`)).body, body);
});

test('replaces the default by the array, and describes users by name', async () => {
  const { project, owner, developer } = await world({ project: { with: ['developer'] } });
  const url = `${project.at}/protected_branches`;
  const raw = `name=form&allowed_to_push[][user_id]=${developer.id}&allowed_to_push[][user_id]=${owner.id}`;
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const form = (await owner.send('POST', url, { raw, headers })).body;
  const described = (kind: string) =>
    form[`${kind}_access_levels`].map((entry: { access_level_description: string }) => entry.access_level_description);
  assert.deepEqual(described('push'), [`Name of ${developer.username}`, `Name of ${owner.username}`]);
  assert.deepEqual(described('merge'), ['Maintainers']);
});

test('rejects groups without access and unknown levels, and creates no rule', async () => {
  const { project, owner } = await world({ project: {} });
  const url = `${project.at}/protected_branches`;
  const refused = await owner.post(url, { name: 'n', allowed_to_merge: [{ group_id: 1 }] });
  assert.deepEqual(
    [refused.status, refused.body],
    [422, { message: ['Merge access levels group does not have access to the project'] }],
  );
  assert.deepEqual((await owner.post(url, { name: 'n', merge_access_level: 50, unprotect_access_level: 0 })).body, {
    error: 'merge_access_level does not have a valid value, unprotect_access_level does not have a valid value',
  });
  assert.equal((await owner.get(`${url}/n`)).status, 404);
});

test('accepts the longest branch name and rejects names that no index can hold', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  const nameOf = (bytes: number) => randomBytes(bytes / 2).toString('hex');
  assert.equal((await owner.post(url, { name: nameOf(1024) })).status, 201);
  for (const name of [nameOf(1026), nameOf(10_000), 'é'.repeat(513)]) {
    const { status, body } = await owner.post(url, { name });
    assert.deepEqual([status, body], [422, { message: ['Name is too long (maximum is 1024 bytes)'] }]);
  }
  assert.equal((await owner.get(url)).body.length, 2);
});

test('accepts at most 1,000 users in a rule and validates all of them', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  const allowed_to_push = Array.from({ length: 1001 }, (_, index) => ({ user_id: 1_000_000 + index }));
  const tooMany = await owner.post(url, { name: 'many', allowed_to_push });
  assert.deepEqual(tooMany.body, { error: 'allowed_to_push is too long (maximum is 1000 elements)' });
  assert.equal((await owner.post(url, { name: 'many', allowed_to_push: allowed_to_push.slice(1) })).status, 422);
  assert.equal((await owner.get(`${url}/many`)).status, 404);
});
