import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '../../../test/world.ts';

async function projectOf(): Promise<{ owner: Caller; id: number; url: string }> {
  const { user, name } = await world();
  const owner = await user();
  const { body } = await owner.post('/projects', { name: name('rules'), initialize_with_readme: true });
  return { owner, id: body.id, url: `/projects/${body.id}/protected_branches` };
}

const pushTo = (caller: Caller, id: number, branch: string, path: string) =>
  caller.post(`/projects/${id}/repository/files/${path}`, {
    branch,
    start_branch: 'main',
    content: path,
    commit_message: path,
  });

test('a rule admits Maintainers unless it is told otherwise; one name, one rule', async () => {
  const { owner, url } = await projectOf();
  const made = await owner.post(url, { name: '*-stable', merge_access_level: 30 });
  assert.equal(made.status, 201);
  const levels = (kind: string) => made.body[`${kind}_access_levels`].map((level: object) => ({ ...level, id: 0 }));
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
  const again = await owner.post(url, { name: '*-stable' });
  assert.deepEqual([again.status, again.body], [409, { message: "Protected branch '*-stable' already exists" }]);
  const race = await Promise.all([1, 2].map(() => owner.post(url, { name: 'race' })));
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, 409]);
  assert.deepEqual((await owner.post(url, {})).body, { error: 'name is missing' });
  assert.deepEqual((await owner.post(url, { name: '' })).body, { message: ["Name can't be blank"] });
  assert.deepEqual((await owner.post(url, { name: 'x', push_access_level: 20 })).body, {
    error: 'push_access_level does not have a valid value',
  });
  assert.deepEqual((await owner.post(url, { name: 'x', allowed_to_push: ['x'] })).body, {
    error: 'allowed_to_push is invalid',
  });
  assert.equal((await owner.get(`${url}/*-stable`)).body.name, '*-stable');
  assert.deepEqual((await owner.get(`${url}/1-stable`)).body, { message: '404 Not found' });
  assert.equal((await owner.delete(`${url}/*-stable`)).status, 204);
  assert.equal((await owner.delete(`${url}/*-stable`)).status, 404);
});

test('a wildcard spans slashes, any rule grants, level 0 stops even administrators', async () => {
  const { root, user } = await world();
  const { owner, id, url } = await projectOf();
  const developer = await user();
  await root.post(`/projects/${id}/members`, { user_id: developer.id, access_level: 30 });
  await owner.post(url, { name: 'rel*', push_access_level: 0, merge_access_level: 0 });
  assert.equal((await pushTo(root, id, 'rel/a/b', 'a.txt')).status, 403);
  await owner.post(url, { name: 'rel/a*', allowed_to_push: [{ user_id: developer.id }] });
  assert.equal((await pushTo(developer, id, 'rel/a/b', 'b.txt')).status, 201);
  assert.equal((await pushTo(root, id, 'rel/a/c', 'c.txt')).status, 403);
  const stranger = await user();
  const refused = await owner.post(url, { name: 'y', allowed_to_push: [{ user_id: stranger.id }] });
  assert.deepEqual(
    [refused.status, refused.body],
    [422, { message: ['Push access levels user is not a member of the project'] }],
  );
});

test('PATCH changes, adds and removes entries', async () => {
  const { owner, url } = await projectOf();
  const { body } = await owner.post(url, { name: 'p' });
  const [push] = body.push_access_levels;
  const patched = await owner.patch(`${url}/p`, {
    allow_force_push: true,
    allowed_to_push: [{ id: push.id, access_level: 30 }],
  });
  assert.equal(patched.body.allow_force_push, true);
  assert.deepEqual(
    patched.body.push_access_levels.map((level: { access_level: number }) => level.access_level),
    [30],
  );
  const emptied = await owner.patch(`${url}/p`, {
    allowed_to_push: [{ id: push.id, _destroy: true }, { access_level: 60 }],
  });
  assert.deepEqual(
    emptied.body.push_access_levels.map((level: { access_level: number }) => level.access_level),
    [60],
  );
  assert.deepEqual((await owner.patch(`${url}/p`, { allow_force_push: null })).body, {
    error: 'allow_force_push is empty',
  });
});

test('tier free shows roles alone and takes no users', async () => {
  const { user, name } = await world({ env: { HEARTH_TIER: 'free' } });
  const owner = await user();
  const { body } = await owner.post('/projects', { name: name('free'), initialize_with_readme: true });
  const url = `/projects/${body.id}/protected_branches`;
  const made = await owner.post(url, { name: 'x' });
  assert.deepEqual(Object.keys(made.body), [
    'id',
    'name',
    'push_access_levels',
    'merge_access_levels',
    'allow_force_push',
  ]);
  assert.equal((await owner.post(url, { name: 'y', allowed_to_push: [{ user_id: owner.id }] })).status, 422);
});

test('PATCH leaves an entry that it only names, and makes no entry what another one is', async () => {
  const { root, user } = await world();
  const { owner, id, url } = await projectOf();
  const developer = await user();
  await root.post(`/projects/${id}/members`, { user_id: developer.id, access_level: 30 });
  const allowed_to_push = [{ access_level: 30 }, { access_level: 40 }, { user_id: developer.id }];
  const made = (await owner.post(url, { name: 'twice', allowed_to_push })).body;
  const [thirty, forty, own] = made.push_access_levels;
  const patch = (...elements: object[]) => owner.patch(`${url}/twice`, { allowed_to_push: elements });
  assert.deepEqual((await patch({ id: own.id })).body, made);
  const taken = { message: ['Push access levels access level has already been taken'] };
  for (const elements of [
    [{ id: thirty.id, access_level: 40 }],
    [{ id: own.id, access_level: 30 }],
    [
      { id: thirty.id, access_level: 0 },
      { id: forty.id, access_level: 0 },
    ],
  ]) {
    const answer = await patch(...elements);
    assert.deepEqual([answer.status, answer.body], [422, taken]);
  }
  assert.deepEqual((await patch({ id: thirty.id, user_id: developer.id })).body, {
    message: ['Push access levels user has already been taken'],
  });
  assert.deepEqual((await owner.get(`${url}/twice`)).body, made);
  const moved = await patch({ id: forty.id, _destroy: true }, { id: thirty.id, access_level: 40 });
  const levels = moved.body.push_access_levels as { id: number; access_level: number }[];
  assert.deepEqual(
    levels.map((level) => [level.id, level.access_level]),
    [
      [thirty.id, 40],
      [own.id, 40],
    ],
  );
});

test('a rule that is changed and removed at once is changed first or gone', async () => {
  const { owner, url } = await projectOf();
  for (let round = 0; round < 5; round++) {
    const { body } = await owner.post(url, { name: 'going' });
    const [entry] = body.push_access_levels;
    const change = (access_level: number) =>
      owner.patch(`${url}/going`, { allowed_to_push: [{ id: entry.id, access_level: 0 }, { access_level }] });
    const [removed, ...changed] = await Promise.all([owner.delete(`${url}/going`), change(30), change(60), change(30)]);
    assert.equal(removed.status, 204);
    for (const { status, body } of changed) {
      if (status !== 200) assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
    }
    assert.equal((await owner.get(`${url}/going`)).status, 404);
  }
});
