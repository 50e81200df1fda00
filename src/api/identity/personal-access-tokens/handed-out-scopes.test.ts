import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

// A token hands out no scope that it lacks, and an impersonator gets no token of the user (contract/conventions.md §10).

const here = await world();
const { root, user, tokenOf, withToken } = here;
const admin = await tokenOf(root, ['api']);

const lacks = ({ status, body }: TestResponse, scope: string) => {
  const description = 'The request requires higher privileges than provided by the access token.';
  assert.deepEqual([status, body], [403, { error: 'insufficient_scope', error_description: description, scope }]);
};
const tokensOf = async ({ id }: Caller) =>
  (await root.get('/personal_access_tokens', { user_id: id, per_page: 100 })).body.length;

test('rejects a new token with scopes that the token of the request lacks', async () => {
  const mira = await user();
  for (const kind of ['personal_access_tokens', 'impersonation_tokens']) {
    const path = `/users/${mira.id}/${kind}`;
    const input = { name: 'ci', expires_at: '2026-12-01' };
    const before = await tokensOf(mira);
    lacks(await admin.post(path, { ...input, scopes: ['api', 'sudo', 'admin_mode'] }), 'sudo admin_mode');
    assert.equal(await tokensOf(mira), before);
    assert.equal((await root.post(path, { ...input, scopes: ['sudo'] })).status, 201);
    assert.equal((await admin.post(path, { ...input, scopes: ['read_repository', 'read_user'] })).status, 201);
  }
});

test('rejects the rotation of a token with scopes that the token of the request lacks', async () => {
  const chief = await user();
  await root.put(`/users/${chief.id}`, { admin: true });
  const { body } = await root.post(`/users/${chief.id}/personal_access_tokens`, {
    name: 'ci',
    scopes: ['api', 'sudo'],
  });
  lacks(await chief.post(`/personal_access_tokens/${body.id}/rotate`), 'sudo');
  lacks(await admin.post(`/personal_access_tokens/${body.id}/rotate`), 'sudo');
  const own = withToken(chief, body.token);
  assert.equal((await own.get('/personal_access_tokens/self')).body.active, true, 'nothing happened');
  assert.equal((await own.post('/personal_access_tokens/self/rotate')).status, 200);
});

test('rejects tokens of the user for an impersonator, who may rotate the impersonation token', async () => {
  const mira = await user();
  const order = { name: 'debug', scopes: ['api', 'self_rotate'], expires_at: '2026-12-01' };
  const { body: impersonation } = await root.post(`/users/${mira.id}/impersonation_tokens`, order);
  const { body: own } = await root.post(`/users/${mira.id}/personal_access_tokens`, order);
  const impersonator = withToken(mira, impersonation.token);
  const before = await tokensOf(mira);
  const rotated = await impersonator.post(`/personal_access_tokens/${own.id}/rotate`);
  assert.deepEqual([rotated.status, rotated.body], [401, { message: '401 Unauthorized' }]);
  const created = await impersonator.post('/user/personal_access_tokens', { name: 'mine', scopes: ['self_rotate'] });
  assert.deepEqual([created.status, created.body], [403, { message: '403 Forbidden' }]);
  assert.equal(await tokensOf(mira), before);
  assert.equal((await withToken(mira, own.token).get('/user')).status, 200);
  const next = await impersonator.post('/personal_access_tokens/self/rotate');
  assert.equal(next.status, 200);
  assert.equal((await root.get(`/users/${mira.id}/impersonation_tokens/${next.body.id}`)).body.impersonation, true);
});
