import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { CALLBACK, oauthFixtures } from './fixtures.testing.ts';

// There are no ID tokens (contract/conventions.md §7 "Scopes"); applications may name the scopes.

const here = await world({ project: {} });
const { root, anonymous, user, project, owner } = here;
const { createApplication, createSignedInUser, requestToken } = oauthFixtures(here);

const EXPIRES = { name: 'x', expires_at: '2026-12-01' };

for (const scope of ['openid', 'profile', 'email']) {
  test(`rejects ${scope} as the scope of a token`, async () => {
    const mira = await user();
    const order = { ...EXPIRES, scopes: [scope] };
    const unknown = { error: 'scopes does not have a valid value' };
    assert.deepEqual((await root.post(`/users/${mira.id}/personal_access_tokens`, order)).body, unknown);
    assert.deepEqual((await mira.post('/user/personal_access_tokens', order)).body, unknown);
    assert.deepEqual((await owner.post(`${project.at}/access_tokens`, order)).body, unknown);
    const unavailable = { message: { scopes: ['can only contain available scopes'] } };
    assert.deepEqual((await root.post(`/users/${mira.id}/impersonation_tokens`, order)).body, unavailable);
  });

  test(`lets an application request ${scope} only if it was registered with it`, async () => {
    const input = { name: 'x', redirect_uri: CALLBACK, scopes: `api ${scope}` };
    assert.equal((await root.post('/applications', input)).status, 201);
    const [{ client_id, client_secret }, { browser: visit }] = [await createApplication(), await createSignedInUser()];
    const asked = new URLSearchParams({ client_id, redirect_uri: CALLBACK, response_type: 'code', scope });
    const { headers } = await visit.get(`//oauth/authorize?${asked}`);
    assert.equal(new URL(String(headers.location)).searchParams.get('error'), 'invalid_scope');
    const { body } = await requestToken({ grant_type: 'client_credentials', client_id, client_secret, scope });
    assert.equal(body.error, 'invalid_scope');
  });
}

test('serves no OpenID Connect endpoints', async () => {
  for (const path of ['//oauth/userinfo', '//.well-known/openid-configuration', '//oauth/discovery/keys']) {
    assert.equal((await anonymous.get(path)).status, 404, path);
  }
});
