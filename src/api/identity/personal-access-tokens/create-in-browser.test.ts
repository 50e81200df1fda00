import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Browser, PASSWORD_HASH, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

// Tokens that users create in the browser (contract/web.md §3).

const here = await world();
const { root, user } = here;

const INVALID_SCOPE = { error: 'scopes does not have a valid value' };

const create = (visit: Browser, scopes: readonly string[]) =>
  visit.send('POST', '/user/personal_access_tokens', {
    params: { name: 'laptop', scopes, expires_at: '2026-03-01' },
    headers: { 'X-CSRF-Token': visit.csrfToken() },
  });

test('creates a token with all scopes but those for administrators', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  const { status, body } = await create(visit, ['api', 'write_repository']);
  assert.deepEqual([status, body.scopes, body.expires_at], [201, ['api', 'write_repository'], '2026-03-01']);
  assert.equal((await here.withToken(mira, body.token).get('/user')).body.id, mira.id);
  for (const scope of ['sudo', 'admin_mode', 'read_service_ping', 'odd']) {
    const answer = await create(visit, ['api', scope]);
    assert.deepEqual([answer.status, answer.body], [400, INVALID_SCOPE], scope);
  }
});

test('creates a token with the scopes for administrators if the caller is one', async () => {
  const admin = await user({ passwordHash: PASSWORD_HASH });
  await root.put(`/users/${admin.id}`, { admin: true });
  const { status, body } = await create(await signedInBrowser(here, admin), ['api', 'sudo']);
  assert.deepEqual([status, body.scopes], [201, ['api', 'sudo']]);
});

test('a token creates no token with further scopes, whatever its own', async () => {
  const mira = await userWithPassword(here);
  for (const scopes of [['api'], ['k8s_proxy', 'read_user']]) {
    const answer = await mira.post('/user/personal_access_tokens', { name: 'x', scopes });
    assert.deepEqual([answer.status, answer.body], [400, INVALID_SCOPE]);
  }
});
