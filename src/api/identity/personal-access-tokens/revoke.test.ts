import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { issueTestToken } from './fixtures.testing.ts';

// The world's clock stands at 2026-01-02.

test("revokes the caller's own tokens, repeatedly, but not those of others", async () => {
  const { root, user, anonymous } = await world();
  const [mira, otto] = [await user(), await user()];
  const token = await issueTestToken(mira);
  const refused = await otto.delete(`/personal_access_tokens/${token.id}`);
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body, { message: '400 Bad request - Not permitted to revoke' });
  assert.equal((await token.caller.get('/user')).status, 200);
  assert.equal((await mira.delete(`/personal_access_tokens/${token.id}`)).status, 204);
  assert.equal((await mira.delete(`/personal_access_tokens/${token.id}`)).status, 204);
  assert.equal(
    (await token.caller.get('/user')).body.error_description,
    'Token was revoked. You have to re-authorize from the user.',
  );
  assert.deepEqual((await root.delete('/personal_access_tokens/4711')).body, { message: '404 Not found' });
  assert.equal((await anonymous.delete(`/personal_access_tokens/${token.id}`)).status, 401);
});

test('returns and revokes the token of the request with any scope', async () => {
  const { user } = await world();
  const mira = await user();
  const token = await issueTestToken(mira, { scopes: ['read_registry'] });
  assert.equal((await token.caller.get('/user')).status, 403);
  assert.equal((await token.caller.get('/personal_access_tokens/self')).body.id, token.id);
  assert.equal((await token.caller.delete('/personal_access_tokens/self')).status, 204);
  assert.equal((await token.caller.get('/personal_access_tokens/self')).status, 401);
});

test('rejects an impersonation token that revokes itself', async () => {
  const { root, user, withToken } = await world();
  const mira = await user();
  const order = { name: 'debug', scopes: ['api'], expires_at: '2026-02-01' };
  const { token } = (await root.post(`/users/${mira.id}/impersonation_tokens`, order)).body;
  const refused = await withToken(mira, token).delete('/personal_access_tokens/self');
  assert.deepEqual([refused.status, refused.body], [400, { message: '400 Bad request - Not permitted to revoke' }]);
  assert.equal((await withToken(mira, token).get('/user')).status, 200);
});

test("lets an administrator's impersonation token revoke itself", async () => {
  const { root, user, withToken } = await world();
  const admin = await user();
  await root.put(`/users/${admin.id}`, { admin: true });
  const input = { name: 'debug', scopes: ['api'], expires_at: '2026-02-01' };
  const { token } = (await root.post(`/users/${admin.id}/impersonation_tokens`, input)).body;
  assert.equal((await withToken(admin, token).delete('/personal_access_tokens/self')).status, 204);
  assert.equal((await withToken(admin, token).get('/user')).status, 401);
});
