import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD } from '#test/support/browser.ts';
import type { TestResponse } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';
import { CALLBACK, INVALID_CLIENT, INVALID_GRANT, oauthFixtures } from './fixtures.testing.ts';

// An application that is removed takes along what it has, also what it is just about to get.

const here = await world();
const { root } = here;
const { createApplication, requestToken, requestTokenPairByPassword, requestCode, getWithBearer, createSignedInUser } =
  oauthFixtures(here);

test('invalidates the tokens of a deleted application', async () => {
  const [{ id, ...client }, { user: mira, browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { access_token, refresh_token } = await requestTokenPairByPassword(mira, client);
  const order = {
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
    code: await requestCode(visit, { id, ...client }),
  };
  assert.equal((await getWithBearer(access_token)).status, 200);
  assert.equal((await root.delete(`/applications/${id}`)).status, 204);
  const { status, body } = await getWithBearer(access_token);
  assert.deepEqual([status, body], [401, { message: '401 Unauthorized' }]);
  assert.deepEqual((await requestToken({ grant_type: 'refresh_token', refresh_token })).body, INVALID_GRANT);
  assert.deepEqual((await requestToken({ ...order, ...client })).body, INVALID_CLIENT);
});

test('leaves no valid token if a token is requested during the deletion', async () => {
  for (let round = 0; round < 3; round++) {
    const [{ id, ...client }, { user: mira, browser: visit }] = [await createApplication(), await createSignedInUser()];
    const given = await requestCode(visit, { id, ...client });
    const asking = { client_id: client.client_id, redirect_uri: CALLBACK, response_type: 'code' };
    const [yes, ...answers] = (await Promise.all([
      visit.submit('//oauth/authorize', asking),
      requestToken({ grant_type: 'password', username: mira.username, password: PASSWORD, ...client }),
      requestToken({ grant_type: 'client_credentials', ...client }),
      requestToken({ grant_type: 'authorization_code', redirect_uri: CALLBACK, code: given, ...client }),
      root.delete(`/applications/${id}`),
    ])) as [TestResponse, ...TestResponse[]];
    assert.equal(answers.pop()?.status, 204);
    assert.ok([302, 400].includes(yes.status), yes.text);
    for (const { status, body } of answers) {
      if (status === 200) assert.equal((await getWithBearer(body.access_token)).status, 401);
      else assert.ok(['invalid_client', 'invalid_grant'].includes(body.error), JSON.stringify(body));
    }
  }
});
