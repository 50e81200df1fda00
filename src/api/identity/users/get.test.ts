import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns the public attributes of a user to other users', async () => {
  const { root, user, anonymous, name } = await world();
  const [mira, stranger] = [await user(), await user()];
  const shown = (await stranger.get(`/users/${mira.id}`)).body;
  assert.equal(shown.web_url.endsWith(`/${mira.username}`), true);
  assert.match(shown.avatar_url, /\/-\/avatars\/[0-9a-f]{16}\.svg$/);
  assert.equal('email' in shown, false);
  assert.equal('created_at' in shown, true);
  const username = name('hidden');
  const hidden = (await root.post('/users', { ...account(username), private_profile: true })).body;
  assert.equal('created_at' in (await stranger.get(`/users/${hidden.id}`)).body, false);
  assert.equal((await root.get(`/users/${hidden.id}`)).body.highest_role, 0);
  const refused = await anonymous.get(`/users/${mira.id}`);
  assert.equal(refused.status, 403);
  assert.deepEqual(refused.body, { message: '403 Forbidden - Not authorized!' });
  assert.deepEqual((await stranger.get('/users/4711')).body, { message: '404 User Not Found' });
  assert.deepEqual((await stranger.get(`/users/${mira.username}`)).body, { error: '404 Not Found' });
});

test('returns 429 for the 301st request of users by id within ten minutes', async () => {
  const { root, user, clock } = await world({ env: { HEARTH_SITE_NAME: 'limited' } });
  const mira = await user();
  await root.put('/application/settings', { users_get_by_id_limit: 3 });
  for (let count = 0; count < 3; count++) assert.equal((await mira.get('/users/1')).status, 200);
  const refused = await mira.get('/users/1');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '600');
  assert.deepEqual(refused.body, {
    message: { error: 'This endpoint has been requested too many times. Try again later.' },
  });
  assert.equal((await root.get('/users/1')).status, 200);
  await root.put('/application/settings', { users_get_by_id_limit_allowlist: mira.username });
  assert.equal((await mira.get('/users/1')).status, 200);
  await root.put('/application/settings', { users_get_by_id_limit_allowlist: [] });
  clock.advance(600);
  assert.equal((await mira.get('/users/1')).status, 200);
});

test('limits requests of users by id by a setting, including the caller and missing users', async () => {
  const { root, user, clock, anonymous } = await world({ env: { HEARTH_SITE_NAME: 'limited' } });
  const settings = { users_get_by_id_limit: 300, users_get_by_id_limit_allowlist: [] };
  await root.put('/application/settings', settings);
  clock.advance(600);
  const [mira, otto] = [await user(), await user()];
  const paths = ['/users/1', `/users/${mira.id}`, '/users/999999'];
  for (let count = 0; count < 300; count++) {
    const path = paths[count % 3] as string;
    assert.equal((await mira.get(path)).status, path.endsWith('999999') ? 404 : 200, String(count));
  }
  const refused = await mira.get('/users/1');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['ratelimit-name'], undefined, 'it is no throttle');
  assert.equal((await mira.head('/users/1')).status, 429);
  for (const path of ['/user', `/users?username=${otto.username}`, `/users/${mira.id}/projects`]) {
    assert.equal((await mira.get(path)).status, 200, path);
  }
  assert.equal((await otto.get('/users/1')).status, 200, 'others count for themselves');
  assert.equal((await anonymous.get('/users/1')).status, 403);
  await root.put('/application/settings', {
    users_get_by_id_limit_allowlist: ['someone', mira.username.toUpperCase()],
  });
  assert.equal((await mira.get('/users/1')).status, 200, 'names are the same in any case');
  await root.put('/application/settings', { users_get_by_id_limit_allowlist: [] });
  assert.equal((await mira.get('/users/1')).status, 429);
  await root.put('/application/settings', { users_get_by_id_limit: 0, users_get_by_id_limit_allowlist: [] });
  assert.equal((await mira.get('/users/1')).status, 200);
  await root.put('/application/settings', settings);
});

function account(username: string) {
  return { username, name: 'Mira Okafor', email: `${username}@mail.test`, password: 'quiet river stone' };
}
