import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createTestToken, getTokensPath } from './fixtures.testing.ts';

const { root, user, withToken } = await world();

test('revokes a token immediately; a second revocation has no effect', async () => {
  const mira = await user();
  const { id, token } = await createTestToken(mira);
  const path = `${getTokensPath(mira)}/${id}`;
  const early = await root.delete(path, {}, { 'if-unmodified-since': '2020-01-01' });
  assert.equal(early.status, 412);
  assert.equal((await withToken(mira, token).get('/user')).status, 200);
  assert.equal((await root.delete(path)).status, 204);
  const refusal = await withToken(mira, token).get('/user');
  assert.equal(refusal.body.error_description, 'Token was revoked. You have to re-authorize from the user.');
  assert.equal((await root.delete(path)).status, 204);
});

test('hides the token from its user, who cannot revoke it', async () => {
  const mira = await user();
  const { id } = await createTestToken(mira);
  const own = (await mira.get('/personal_access_tokens')).body.map((token: { id: number }) => token.id);
  assert.ok(!own.includes(id));
  assert.equal((await mira.get(`/personal_access_tokens/${id}`)).status, 401);
  const refusal = await mira.delete(`/personal_access_tokens/${id}`);
  assert.deepEqual([refusal.status, refusal.body], [400, { message: '400 Bad request - Not permitted to revoke' }]);
});
