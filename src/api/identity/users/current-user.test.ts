import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns the caller, with the attributes for administrators if they are one', async () => {
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

test('accepts a token as PRIVATE-TOKEN, private_token, Bearer and access_token', async () => {
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

test('returns 401 for an invalid token, even where none is required', async () => {
  const { anonymous, withToken, name } = await world();
  const stranger = withToken(anonymous, 'glpat-nobody-knows-me');
  for (const path of ['/user', '/users?username=root', '//-/avatars/0123456789abcdef.svg']) {
    const { status, body } = await stranger.get(path);
    assert.equal(status, 401, path);
    assert.deepEqual(body, { message: '401 Unauthorized' });
  }
  assert.equal((await stranger.post('/users', { username: name() })).status, 401);
});

test('returns 403 with the sufficient scopes for an insufficient scope', async () => {
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

test('the response is cached', async () => {
  const { user, servers } = await world();
  const mira = await user();
  const countHits = async () => {
    const texts = await Promise.all(servers.map(({ services }) => services.metrics.text()));
    const hits = texts.map((text) => /^hearth_response_cache_requests_total\{outcome="hit"\} (\d+)/m.exec(text)?.[1]);
    return hits.reduce((sum, count) => sum + Number(count ?? 0), 0);
  };
  const hits = await countHits();
  for (let request = 0; request < 8; request++) await mira.get('/user');
  assert.ok((await countHits()) > hits);
});
