import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createTestApplication } from './fixtures.testing.ts';

const { root, anonymous } = await world();

test('deletes an application with its tokens', async () => {
  const { id, application_id: client_id, secret: client_secret } = await createTestApplication();
  const params = { grant_type: 'client_credentials', client_id, client_secret };
  const { access_token } = (await anonymous.post('//oauth/token', params)).body;
  const bearer = { Authorization: `Bearer ${access_token}` };
  assert.equal((await anonymous.get('//oauth/token/info', {}, bearer)).status, 200);
  assert.equal((await root.delete(`/applications/${id}`)).status, 204);
  assert.equal((await anonymous.get('//oauth/token/info', {}, bearer)).status, 401);
  assert.equal((await anonymous.post('//oauth/token', params)).body.error, 'invalid_client');
});

test('returns 404 for unknown applications', async () => {
  for (const id of [999_999, '99999999999999999999']) {
    const told = [404, { message: '404 Application Not Found' }];
    const removed = await root.delete(`/applications/${id}`);
    const renewed = await root.post(`/applications/${id}/renew-secret`);
    assert.deepEqual([removed.status, removed.body], told);
    assert.deepEqual([renewed.status, renewed.body], told);
  }
});
