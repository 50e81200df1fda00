import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { lockAccount } from './fixtures.testing.ts';

test('rejects the token of a blocked user until they are unblocked', async () => {
  const { root, user } = await world();
  const mira = await user();
  assert.equal((await root.post(`/users/${mira.id}/block`)).body, true);
  assert.equal((await root.post(`/users/${mira.id}/block`)).body, null);
  const refused = await mira.get('/user');
  assert.equal(refused.status, 403);
  assert.deepEqual(refused.body, { message: '403 Forbidden - Your account has been blocked.' });
  assert.equal((await root.get(`/users/${mira.id}`)).body.state, 'blocked');
  const unblocked = await root.post(`/users/${mira.id}/unblock`);
  assert.equal(unblocked.status, 201);
  assert.equal(unblocked.body, true);
  assert.equal((await root.post(`/users/${mira.id}/unblock`)).body, false);
  assert.equal((await mira.get('/user')).status, 200);
});

test('unlocks a user who typed too many wrong passwords', async () => {
  const { root, user, server } = await world();
  const mira = await user();
  await lockAccount(server, mira.id);
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, true);
  assert.equal((await mira.post(`/users/${mira.id}/unlock`)).status, 403);
  const unlocked = await root.post(`/users/${mira.id}/unlock`);
  assert.deepEqual([unlocked.status, unlocked.body], [201, true]);
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, false);
  assert.equal((await root.post(`/users/${mira.id}/unlock`)).body, false);
});

test('rejects transitions that a state does not allow', async () => {
  const { root, user, server } = await world();
  const mira = await user();
  const say = async (verb: string) => (await root.post(`/users/${mira.id}/${verb}`)).body?.message;
  await mira.get('/user');
  await server.services.tokenUsage.waitForFlush();
  assert.equal(
    await say('deactivate'),
    'The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated',
  );
  assert.equal(await say('unban'), 'You cannot unban active users.');
  await root.post(`/users/${mira.id}/block`);
  assert.equal(await say('ban'), 'You cannot ban blocked users.');
  assert.equal(await say('activate'), 'Error occurred. A blocked user must be unblocked to be activated');
  assert.equal(await say('deactivate'), 'Error occurred. A blocked user cannot be deactivated');
  assert.equal(
    (await root.post('/users/1/block')).body.message,
    '403 Forbidden - The API initiating user cannot be blocked by the API',
  );
  assert.equal((await root.post('/users/99999999999999999999/block')).body.message, '404 User Not Found');
  assert.equal((await mira.post('/users/1/block')).status, 403);
});

test('deactivates a user who never signed in, and rejects unblocking them', async () => {
  const { root, user, withToken } = await world();
  const mira = await user();
  assert.equal((await root.post(`/users/${mira.id}/deactivate`)).body, true);
  assert.equal(
    (await root.post(`/users/${mira.id}/unblock`)).body.message,
    '403 Forbidden - Deactivated users cannot be unblocked by the API',
  );
  const { body } = await withToken(mira, mira.token).get('/user');
  assert.match(body.message, /^403 Forbidden - Your account has been deactivated by your administrator.* at http:/);
  assert.equal((await root.post(`/users/${mira.id}/activate`)).body, true);
  assert.equal((await mira.get('/user')).status, 200);
});

test('rejects changes of internal users', async () => {
  const { root } = await world();
  const [ghost] = (await root.get('/users', { username: 'GHOST' })).body;
  assert.equal(ghost.name, 'Ghost User');
  assert.equal(ghost.namespace_id, null);
  for (const verb of ['block', 'deactivate', 'ban']) {
    assert.equal((await root.post(`/users/${ghost.id}/${verb}`)).status, 403, verb);
  }
  assert.deepEqual((await root.post(`/users/${ghost.id}/block`)).body, {
    message: 'An internal user cannot be blocked',
  });
  assert.equal((await root.put(`/users/${ghost.id}`, { name: 'Somebody' })).status, 403);
  assert.equal((await root.get(`/users/${ghost.id}`)).body.name, 'Ghost User');
  const humans = (await root.get('/users', { humans: true, per_page: 100 })).body;
  assert.equal(
    humans.some((user: { username: string }) => ['ghost', 'alert-bot'].includes(user.username)),
    false,
  );
});

test('rejects demoting or blocking the only administrator', async () => {
  const { root } = await world({ env: { HEARTH_SITE_NAME: 'one administrator' } });
  const refused = async (method: 'put' | 'post', path: string, params: Record<string, unknown> = {}) => {
    const { status, body } = await root[method](path, params);
    assert.equal(status, 403);
    return body.message;
  };
  const only = '403 Forbidden - The only administrator cannot';
  assert.equal(await refused('put', '/users/1', { admin: false }), `${only} give up that role`);
  assert.equal(await refused('post', '/users/1/ban'), `${only} be banned`);
  assert.equal(await refused('post', '/users/1/deactivate'), `${only} be deactivated`);
  assert.deepEqual((await root.get('/user')).body.state, 'active');
  assert.equal((await root.put('/users/1', { admin: true, bio: 'Rules.' })).status, 200);
});

test('rejects blocking the only active administrator as a blocked one', async () => {
  const { root, user, tokenOf } = await world({ env: { HEARTH_SITE_NAME: 'blocked administrator' } });
  const [sudo, chief] = [await tokenOf(root, ['api', 'sudo']), await user()];
  await root.put(`/users/${chief.id}`, { admin: true });
  await root.post(`/users/${chief.id}/block`);
  const refused = await sudo.post('/users/1/block', { sudo: chief.id });
  assert.deepEqual(refused.body, { message: '403 Forbidden - The only administrator cannot be blocked' });
});

test('demotes one of two administrators who give up the role concurrently', async () => {
  const { root, user } = await world({ env: { HEARTH_SITE_NAME: 'two administrators' } });
  const chief = await user();
  await root.put(`/users/${chief.id}`, { admin: true });
  const both = await Promise.all([
    root.put('/users/1', { admin: false }),
    chief.put(`/users/${chief.id}`, { admin: false }),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403]);
});
