import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markHistory, recordedSince } from '#activity/index.ts';
import { world } from '#test/support/world.ts';

test('Maintainers of a project manage members up to their own level', async () => {
  const here = await world();
  const [ada, bob, eve] = [await here.user(), await here.user(), await here.user()];
  const project = await here.newProject({ owner: ada, visibility: 'public' });
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

test('a change of a member is recorded once, and only when something changed', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const project = await here.newProject({ owner: ada });
  const path = `${project.at}/members`;
  const { reader } = here.server.services.database;
  const mark = await markHistory(reader);
  await ada.post(path, { user_id: bob.id, access_level: 20 });
  await ada.put(`${path}/${bob.id}`, { access_level: 20 });
  await ada.put(`${path}/${bob.id}`, { access_level: 30, expires_at: '2026-03-01' });
  const kept = await ada.put(`${path}/${bob.id}`, { access_level: 40 });
  assert.equal(kept.body.expires_at, '2026-03-01');
  assert.equal((await ada.put(`${path}/${bob.id}`, { access_level: 40, expires_at: null })).body.expires_at, null);
  assert.deepEqual(await recordedSince(reader, mark), [
    'joined Project',
    'member_created',
    'member_updated',
    'member_updated',
    'member_updated',
  ]);
});

test('the event of a change tells the role that was given and both dates', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const project = await here.newProject({ owner: ada });
  await project.add('developer', bob, { expires_at: '2026-03-01' });
  const { reader } = here.server.services.database;
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
