import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

test('only what is named changes; null empties texts', async () => {
  const { root, user } = await world();
  const { id } = await user();
  await root.put(`/users/${id}`, { bio: 'Welds.', organization: 'Forge', note: 'careful' });
  const { status, body } = await root.put(`/users/${id}`, { bio: null, organization: null });
  assert.equal(status, 200);
  assert.equal(body.bio, '');
  assert.equal(body.organization, '');
  assert.equal(body.note, 'careful');
});

test('a new address waits, unless it needs no confirmation', async () => {
  const { root, user, name } = await world();
  const { id, username } = await user();
  const email = `${name('new')}@mail.test`;
  assert.equal((await root.put(`/users/${id}`, { email })).body.email, `${username}@hearth.test`);
  assert.equal((await root.put(`/users/${id}`, { email, skip_reconfirmation: true })).body.email, email);
  const again = { username: name('heir'), name: 'Heir', email: `${username}@hearth.test`, force_random_password: true };
  assert.equal((await root.post('/users', again)).status, 201, 'the old address is free');
});

test("somebody else's name and address are conflicts, one's own are fine", async () => {
  const { root, user } = await world();
  const [mira, otto] = [await user(), await user()];
  assert.equal((await root.put(`/users/${mira.id}`, { username: otto.username })).status, 409);
  assert.equal((await root.put(`/users/${mira.id}`, { email: `${otto.username}@hearth.test` })).status, 409);
  const own = { username: mira.username.toUpperCase(), email: `${mira.username}@hearth.test` };
  assert.equal((await root.put(`/users/${mira.id}`, own)).status, 200);
  assert.deepEqual((await root.put('/users/4711', {})).body, { message: '404 User Not Found' });
  assert.equal((await mira.put(`/users/${mira.id}`, {})).status, 403);
});

test("another user's new password has to be renewed, one's own has not", async () => {
  const { root, user } = await world();
  const mira = await user();
  await root.put(`/users/${mira.id}`, { password: 'quiet river stone' });
  const { status, body } = await mira.get('/user');
  assert.equal(status, 403);
  assert.equal(
    body.message,
    '403 Forbidden - Your password expired. Please access Hearth from a web browser to update your password.',
  );
  assert.equal((await root.put('/users/1', { password: 'another river stone' })).status, 200);
  assert.equal((await root.get('/user')).status, 200);
});

test('a new username moves the personal namespace and tells the history', async () => {
  const { root, user, name, server } = await world();
  const { id, username } = await user();
  const next = name('renamed');
  const { body } = await root.put(`/users/${id}`, { username: next, name: 'Renamed', admin: true });
  assert.equal(body.username, next);
  const { reader } = server.rooms.database;
  const route = await reader
    .selectFrom('routes')
    .select('full_path')
    .where('namespace_id', '=', body.namespace_id)
    .execute();
  assert.deepEqual(route, [{ full_path: next }]);
  const events = await reader
    .selectFrom('audit_events')
    .select(['event_name', 'details'])
    .where('entity_type', '=', 'User')
    .where('entity_id', '=', id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    events.map(({ details }) => JSON.parse(details).custom_message),
    [
      `Changed username from ${username} to ${next}`,
      `Changed name from Name of ${username} to Renamed`,
      'Changed admin status from false to true',
    ],
  );
});
