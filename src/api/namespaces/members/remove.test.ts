import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markHistory, recordedSince } from '#activity/index.ts';
import { world } from '#test/support/world.ts';

test('the owner of a personal project stays', async () => {
  const here = await world();
  const ada = await here.user();
  const project = await here.newProject({ owner: ada });
  const path = `${project.at}/members/${ada.id}`;
  for (const caller of [ada, here.root]) {
    assert.equal((await caller.put(path, { access_level: 40 })).status, 403);
    assert.equal((await caller.delete(path)).status, 403);
  }
  assert.equal((await ada.get(path)).body.access_level, 50);
});

test('everybody may leave, but the last Owner of a top-level group', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const path = `${top.at}/members`;
  await ada.post(path, { user_id: bob.id, access_level: 10 });
  assert.equal((await bob.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await bob.delete(`${path}/${bob.id}`)).status, 204);
  assert.equal((await ada.put(`${path}/${ada.id}`, { access_level: 40 })).status, 403);
  assert.equal((await ada.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await here.root.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await ada.delete(`${low.at}/members/${ada.id}`)).status, 204);
  assert.equal((await ada.get(`${path}/${ada.id}`)).status, 200);
});

test('two last Owners who remove one another leave one', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  for (let round = 0; round < 3; round++) {
    const group = await here.newGroup({ owner: ada });
    await group.add('owner', bob);
    const answers = await Promise.all([
      ada.delete(`${group.at}/members/${bob.id}`),
      bob.delete(`${group.at}/members/${ada.id}`),
      ada.put(`${group.at}/members/${ada.id}`, { access_level: 30 }),
      bob.put(`${group.at}/members/${bob.id}`, { access_level: 30 }),
    ]);
    const owners = (await here.root.get(`${group.at}/members`)).body.filter(
      (member: { access_level: number }) => member.access_level === 50,
    );
    assert.equal(owners.length, 1, answers.map(({ status }) => status).join());
  }
});

test('leaving a group ends the memberships below it, unless they are to stay', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const project = await here.newProject({ in: low });
  const places = [top.at, low.at, project.at];
  const addAll = async () => {
    for (const place of places) await ada.post(`${place}/members`, { user_id: bob.id, access_level: 30 });
  };
  const statuses = async () => {
    const answers = [];
    for (const place of places) answers.push((await here.root.get(`${place}/members/${bob.id}`)).status);
    return answers;
  };
  await addAll();
  await ada.delete(`${top.at}/members/${bob.id}`, { skip_subresources: true });
  assert.deepEqual(await statuses(), [404, 200, 200]);
  await addAll();
  const mark = await markHistory(here.server.services.database.reader);
  assert.equal((await ada.delete(`${top.at}/members/${bob.id}`)).status, 204);
  assert.deepEqual(await statuses(), [404, 404, 404]);
  assert.deepEqual(await recordedSince(here.server.services.database.reader, mark), [
    'left Project',
    'member_destroyed',
    'member_destroyed',
    'member_destroyed',
  ]);
});

test('If-Unmodified-Since spares a member who was changed later', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const group = await here.newGroup({ owner: ada });
  const path = `${group.at}/members/${bob.id}`;
  await group.add('developer', bob);
  const stale = { 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  assert.deepEqual((await ada.delete(path, undefined, stale)).body, { message: '412 Precondition Failed' });
  assert.equal((await ada.get(path)).status, 200);
  assert.equal((await ada.delete(path, undefined, { 'If-Unmodified-Since': '2026-02-01T00:00:00Z' })).status, 204);
});

test('a Maintainer who may not remove an Owner hears so, however stale what he knows is', async () => {
  const { project, owner, maintainer } = await world({ project: { with: ['maintainer'] } });
  const other = await project.add('owner');
  const stale = { 'If-Unmodified-Since': '2001-01-01' };
  for (const { id } of [owner, other]) {
    const { status, body } = await maintainer.delete(`${project.at}/members/${id}`, undefined, stale);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
});
