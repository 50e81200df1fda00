import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { world } from '#test/support/world.ts';

test('does not remove the owner of a personal project', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const project = await testWorld.newProject({ owner: ada });
  const path = `${project.at}/members/${ada.id}`;
  for (const caller of [ada, testWorld.root]) {
    assert.equal((await caller.put(path, { access_level: 40 })).status, 403);
    assert.equal((await caller.delete(path)).status, 403);
  }
  assert.equal((await ada.get(path)).body.access_level, 50);
});

test('lets everybody leave except the last Owner of a top-level group', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const path = `${top.at}/members`;
  await ada.post(path, { user_id: bob.id, access_level: 10 });
  assert.equal((await bob.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await bob.delete(`${path}/${bob.id}`)).status, 204);
  assert.equal((await ada.put(`${path}/${ada.id}`, { access_level: 40 })).status, 403);
  assert.equal((await ada.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await testWorld.root.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await ada.delete(`${low.at}/members/${ada.id}`)).status, 204);
  assert.equal((await ada.get(`${path}/${ada.id}`)).status, 200);
});

test('keeps one Owner when the last two remove each other concurrently', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  for (let round = 0; round < 3; round++) {
    const group = await testWorld.newGroup({ owner: ada });
    await group.addMember('owner', bob);
    const answers = await Promise.all([
      ada.delete(`${group.at}/members/${bob.id}`),
      bob.delete(`${group.at}/members/${ada.id}`),
      ada.put(`${group.at}/members/${ada.id}`, { access_level: 30 }),
      bob.put(`${group.at}/members/${bob.id}`, { access_level: 30 }),
    ]);
    const owners = (await testWorld.root.get(`${group.at}/members`)).body.filter(
      (member: { access_level: number }) => member.access_level === 50,
    );
    assert.equal(owners.length, 1, answers.map(({ status }) => status).join());
  }
});

test('removes memberships below a group unless skip_subresources is set', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const project = await testWorld.newProject({ in: low });
  const places = [top.at, low.at, project.at];
  const addAll = async () => {
    for (const place of places) await ada.post(`${place}/members`, { user_id: bob.id, access_level: 30 });
  };
  const statuses = async () => {
    const answers = [];
    for (const place of places) answers.push((await testWorld.root.get(`${place}/members/${bob.id}`)).status);
    return answers;
  };
  await addAll();
  await ada.delete(`${top.at}/members/${bob.id}`, { skip_subresources: true });
  assert.deepEqual(await statuses(), [404, 200, 200]);
  await addAll();
  const mark = await markRecordedEvents(testWorld.server.services.database.reader);
  assert.equal((await ada.delete(`${top.at}/members/${bob.id}`)).status, 204);
  assert.deepEqual(await statuses(), [404, 404, 404]);
  assert.deepEqual(await listRecordedSince(testWorld.server.services.database.reader, mark), [
    'left Project',
    'member_destroyed',
    'member_destroyed',
    'member_destroyed',
  ]);
});

test('returns 412 for a member who was updated after If-Unmodified-Since', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const group = await testWorld.newGroup({ owner: ada });
  const path = `${group.at}/members/${bob.id}`;
  await group.addMember('developer', bob);
  const stale = { 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  assert.deepEqual((await ada.delete(path, undefined, stale)).body, { message: '412 Precondition Failed' });
  assert.equal((await ada.get(path)).status, 200);
  assert.equal((await ada.delete(path, undefined, { 'If-Unmodified-Since': '2026-02-01T00:00:00Z' })).status, 204);
});

test('returns 403 to a Maintainer who removes an Owner, before the precondition', async () => {
  const { project, owner, maintainer } = await world({ project: { with: ['maintainer'] } });
  const other = await project.addMember('owner');
  const stale = { 'If-Unmodified-Since': '2001-01-01' };
  for (const { id } of [owner, other]) {
    const { status, body } = await maintainer.delete(`${project.at}/members/${id}`, undefined, stale);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
});
