import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { world } from '#test/support/world.ts';

test('lets Maintainers of a project manage members up to their own level', async () => {
  const testWorld = await world();
  const [ada, bob, eve] = [await testWorld.user(), await testWorld.user(), await testWorld.user()];
  const project = await testWorld.newProject({ owner: ada, visibility: 'public' });
  const path = `${project.at}/members`;
  assert.equal((await bob.post(path, { user_id: eve.id, access_level: 10 })).status, 403);
  await ada.post(path, { user_id: bob.id, access_level: 40 });
  assert.equal((await bob.post(path, { user_id: eve.id, access_level: 50 })).status, 403);
  assert.equal((await bob.post(path, { user_id: eve.id, access_level: 40 })).status, 201);
  assert.equal((await bob.put(`${path}/${eve.id}`, { access_level: 50 })).status, 403);
  assert.equal((await bob.put(`${path}/${ada.id}`, { access_level: 30 })).status, 403);
  assert.equal((await bob.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await eve.put(`${path}/${bob.id}`, { access_level: 30 })).status, 200);
  assert.equal((await bob.put(`${path}/${eve.id}`, { access_level: 30 })).status, 403);
});

test('records an update once, and only if something changed', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const project = await testWorld.newProject({ owner: ada });
  const path = `${project.at}/members`;
  const { reader } = testWorld.server.services.database;
  const mark = await markRecordedEvents(reader);
  await ada.post(path, { user_id: bob.id, access_level: 20 });
  await ada.put(`${path}/${bob.id}`, { access_level: 20 });
  await ada.put(`${path}/${bob.id}`, { access_level: 30, expires_at: '2026-03-01' });
  const retained = await ada.put(`${path}/${bob.id}`, { access_level: 40 });
  assert.equal(retained.body.expires_at, '2026-03-01');
  assert.equal((await ada.put(`${path}/${bob.id}`, { access_level: 40, expires_at: null })).body.expires_at, null);
  assert.deepEqual(await listRecordedSince(reader, mark), [
    'joined Project',
    'member_created',
    'member_updated',
    'member_updated',
    'member_updated',
  ]);
});

test('records the role and both dates of an update', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const project = await testWorld.newProject({ owner: ada });
  await project.addMember('developer', bob, { expires_at: '2026-03-01' });
  const { reader } = testWorld.server.services.database;
  await ada.put(`${project.at}/members/${bob.id}`, { access_level: 40, expires_at: null });
  const event = await reader
    .selectFrom('audit_events')
    .selectAll()
    .where('event_name', '=', 'member_updated')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const details = JSON.parse(event.details);
  assert.deepEqual(
    [details.as, details.expiry_from, details.expiry_to, details.target_id],
    ['Default role: Maintainer', '2026-03-01', null, bob.id],
  );
});
