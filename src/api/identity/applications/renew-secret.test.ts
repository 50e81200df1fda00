import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createTestApplication } from './fixtures.testing.ts';

const { root, anonymous } = await world();

test('rejects the old secret after its renewal', async () => {
  const { id, application_id: client_id, secret: client_secret } = await createTestApplication();
  const ask = async (secret: string) =>
    (await anonymous.post('//oauth/token', { grant_type: 'client_credentials', client_id, client_secret: secret }))
      .status;
  assert.equal(await ask(client_secret), 200);
  const { status, body } = await root.post(`/applications/${id}/renew-secret`);
  assert.deepEqual([status, body.application_id], [201, client_id]);
  assert.deepEqual([await ask(client_secret), await ask(body.secret)], [401, 200]);
});
