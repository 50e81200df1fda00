import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

test('GET /user is the caller, in the form that administrators see for an administrator', async () => {
  const { root, anonymous, user } = await world();
  const mira = await user();
  const own = await mira.get('/user');
  assert.equal(own.status, 200);
  assert.equal(own.body.email, `${mira.username}@hearth.test`);
  assert.equal('is_admin' in own.body, false);
  assert.equal((await root.get('/user')).body.is_admin, true);
  const refused = await anonymous.get('/user');
  assert.equal(refused.status, 401);
  assert.deepEqual(refused.body, { message: '401 Unauthorized' });
});

test('PRIVATE-TOKEN, private_token, Bearer and access_token name the same caller', async () => {
  const { user, anonymous } = await world();
  const { token, username } = await user();
  const ways = [
    anonymous.get('/user', {}, { 'PRIVATE-TOKEN': token! }),
    anonymous.get('/user', { private_token: token }),
    anonymous.get('/user', {}, { Authorization: `Bearer ${token}` }),
    anonymous.get('/user', { access_token: token }),
  ];
  for (const { body } of await Promise.all(ways)) assert.equal(body.username, username);
});

test('a wrong token is refused everywhere, also where nobody needs one', async () => {
  const { anonymous, withToken, name } = await world();
  const stranger = withToken(anonymous, 'glpat-nobody-knows-me');
  for (const path of ['/user', '/users?username=root', '//-/avatars/0123456789abcdef.svg']) {
    const { status, body } = await stranger.get(path);
    assert.equal(status, 401, path);
    assert.deepEqual(body, { message: '401 Unauthorized' });
  }
  assert.equal((await stranger.post('/users', { username: name() })).status, 401);
});

test('a scope that the endpoint does not take is refused with the scopes that would do', async () => {
  const { user, tokenOf } = await world();
  const mira = await user();
  const reader = await tokenOf(mira, ['read_api']);
  const { status, body } = await reader.post('/user/personal_access_tokens', { name: 'x', scopes: ['k8s_proxy'] });
  assert.equal(status, 403);
  assert.deepEqual(body, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: 'api',
  });
  const profile = await tokenOf(mira, ['read_user']);
  for (const path of ['/user', '/users', `/users/${mira.id}`, '/version', '/metadata']) {
    assert.equal((await profile.get(path)).status, 200, path);
  }
  assert.equal((await profile.get('/personal_access_tokens')).body.scope, 'api read_api');
});

test('a blocked user is refused until unblocked', async () => {
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

test('the states refuse ways that do not exist', async () => {
  const { root, user, server } = await world();
  const mira = await user();
  const say = async (verb: string) => (await root.post(`/users/${mira.id}/${verb}`)).body?.message;
  await mira.get('/user');
  await server.rooms.tokenUses.settled();
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

test('a user who never came is deactivated, and cannot be unblocked instead', async () => {
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

test('the internal users are there, and nobody changes them', async () => {
  const { root } = await world();
  const [ghost] = (await root.get('/users', { username: 'GHOST' })).body;
  assert.equal(ghost.name, 'Ghost User');
  assert.equal(ghost.namespace_id, null);
  for (const verb of ['block', 'deactivate', 'ban']) {
    assert.equal((await root.post(`/users/${ghost.id}/${verb}`)).status, 403, verb);
  }
  assert.equal((await root.put(`/users/${ghost.id}`, { name: 'Somebody' })).status, 403);
  assert.equal((await root.get(`/users/${ghost.id}`)).body.name, 'Ghost User');
  const humans = (await root.get('/users', { humans: true, per_page: 100 })).body;
  assert.equal(
    humans.some((user: { username: string }) => ['ghost', 'alert-bot'].includes(user.username)),
    false,
  );
});

test('what of a user a stranger sees', async () => {
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

test('the 301st look at a user in ten minutes is refused, until the next ten minutes', async () => {
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

test('300 looks unless the settings say otherwise, 0 for no limit; one’s own and missing users count as well', async () => {
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
