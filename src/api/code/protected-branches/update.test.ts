import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('updates, adds and deletes entries with PATCH', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
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

test('adds an entry for the role in unprotect_access_level', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  await owner.post(url, { name: 'p' });
  const levels = (body: { unprotect_access_levels: { access_level: number }[] }) =>
    body.unprotect_access_levels.map(({ access_level }) => access_level);
  const before = levels((await owner.get(`${url}/p`)).body);
  const patched = await owner.patch(`${url}/p`, { unprotect_access_level: 60 });
  assert.deepEqual([patched.status, levels(patched.body)], [200, [...before, 60]]);
  const again = await owner.patch(`${url}/p`, { unprotect_access_level: 60 });
  assert.deepEqual(
    [again.status, again.body],
    [422, { message: ['Unprotect access levels access level has already been taken'] }],
  );
  const invalid = await owner.patch(`${url}/p`, { unprotect_access_level: 0 });
  assert.deepEqual(invalid.body, { error: 'unprotect_access_level does not have a valid value' });
  assert.deepEqual(levels((await owner.get(`${url}/p`)).body), [...before, 60]);
});

test('keeps entries that are only named, and rejects duplicates', async () => {
  const { project, owner, developer } = await world({ project: { readme: true, with: ['developer'] } });
  const url = `${project.at}/protected_branches`;
  const allowed_to_push = [{ access_level: 30 }, { access_level: 40 }, { user_id: developer.id }];
  const created = (await owner.post(url, { name: 'twice', allowed_to_push })).body;
  const [thirty, forty, own] = created.push_access_levels;
  const patch = (...elements: object[]) => owner.patch(`${url}/twice`, { allowed_to_push: elements });
  assert.deepEqual((await patch({ id: own.id })).body, created);
  const taken = { message: ['Push access levels access level has already been taken'] };
  for (const elements of [
    [{ id: thirty.id, access_level: 40 }],
    [{ id: own.id, access_level: 30 }],
    [
      { id: thirty.id, access_level: 0 },
      { id: forty.id, access_level: 0 },
    ],
    [{ access_level: 40 }],
    [{ access_level: 60 }, { access_level: 60 }],
  ]) {
    const answer = await patch(...elements);
    assert.deepEqual([answer.status, answer.body], [422, taken]);
  }
  assert.deepEqual((await patch({ id: thirty.id, user_id: developer.id })).body, {
    message: ['Push access levels user has already been taken'],
  });
  assert.deepEqual((await owner.get(`${url}/twice`)).body, created);
});

test("accepts only ids of the rule's entries of that kind, and is atomic", async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  const created = (await owner.post(url, { name: 'one' })).body;
  const other = (await owner.post(url, { name: 'other' })).body;
  const unknown = [other.push_access_levels[0].id, created.merge_access_levels[0].id, 2 ** 40];
  for (const element of unknown.flatMap((id) => [{ id, access_level: 30 }, { id, _destroy: true }, { id }])) {
    const params = { allow_force_push: true, allowed_to_merge: [{ access_level: 30 }], allowed_to_push: [element] };
    const { status, body } = await owner.patch(`${url}/one`, params);
    assert.deepEqual([status, body], [404, { message: '404 Not found' }], JSON.stringify(element));
  }
  assert.deepEqual((await owner.get(`${url}/one`)).body, created);
});

test('rejects a level that is not allowed for its kind', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  await owner.post(url, { name: 'n' });
  for (const [kind, level] of [
    ['push', 20],
    ['merge', 50],
    ['unprotect', 0],
  ]) {
    const params = { [`allowed_to_${kind}`]: [{ access_level: 40 }, { access_level: level }] };
    const expected = { error: `allowed_to_${kind}[access_level] does not have a valid value` };
    for (const answer of [await owner.post(url, { name: 'm', ...params }), await owner.patch(`${url}/n`, params)]) {
      assert.deepEqual([answer.status, answer.body], [400, expected]);
    }
  }
});

test('lets an entry replace one that the same request deletes', async () => {
  const { project, owner, developer } = await world({ project: { with: ['developer'] } });
  const url = `${project.at}/protected_branches`;
  const allowed_to_push = [{ access_level: 30 }, { access_level: 40 }, { user_id: developer.id }];
  const created = (await owner.post(url, { name: 'twice', allowed_to_push })).body;
  const [thirty, forty, own] = created.push_access_levels;
  const patch = (...elements: object[]) => owner.patch(`${url}/twice`, { allowed_to_push: elements });
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

test('serializes concurrent updates and deletions of a rule', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  for (let round = 0; round < 5; round++) {
    const { body } = await owner.post(url, { name: 'going' });
    const [entry] = body.push_access_levels;
    const change = (access_level: number) =>
      owner.patch(`${url}/going`, { allowed_to_push: [{ id: entry.id, access_level: 0 }, { access_level }] });
    const [removed, ...changed] = await Promise.all([owner.delete(`${url}/going`), change(30), change(60), change(40)]);
    assert.equal(removed.status, 204);
    for (const { status, body } of changed) {
      if (status !== 200) assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
    }
    assert.equal((await owner.get(`${url}/going`)).status, 404);
  }
});
