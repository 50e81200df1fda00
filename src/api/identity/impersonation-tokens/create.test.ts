import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { world } from '#test/support/world.ts';
import { EXPIRES_AT, getTokensPath } from './fixtures.testing.ts';

const here = await world();
const { root, anonymous, user, withToken, runJobs, server } = here;

test('creates a token that acts as its user and returns its secret once', async () => {
  const mira = await user();
  const { body } = await root.post(getTokensPath(mira), {
    name: 'debug',
    scopes: ['api', 'sudo'],
    expires_at: EXPIRES_AT,
  });
  const { id, token, created_at, ...rest } = body;
  assert.match(token, /^glpat-[\w-]{20,}$/);
  assert.ok(created_at);
  assert.deepEqual(rest, {
    name: 'debug',
    revoked: false,
    description: null,
    scopes: ['api', 'sudo'],
    user_id: mira.id,
    last_used_at: null,
    active: true,
    expires_at: EXPIRES_AT,
    impersonation: true,
  });
  assert.equal((await withToken(mira, token).get('/user')).body.id, mira.id);
  const read = await root.get(`${getTokensPath(mira)}/${id}`);
  assert.deepEqual([read.body.token, read.body.last_used_at], [undefined, '2026-01-02T03:04:05.000Z']);
});

test('returns 403 to other callers before it validates parameters', async () => {
  const mira = await user();
  for (const path of [getTokensPath(mira), '/users/999999/impersonation_tokens', '/users/x/impersonation_tokens']) {
    assert.equal((await anonymous.post(path)).status, 401);
    assert.deepEqual((await mira.post(path)).body, { message: '403 Forbidden' });
    assert.equal((await mira.get(path)).status, 403);
  }
});

test('reports missing and invalid parameters together and creates nothing', async () => {
  const mira = await user();
  const post = async (order: Readonly<Record<string, unknown>>) => (await root.post(getTokensPath(mira), order)).body;
  assert.deepEqual(await post({}), { error: 'name is missing' });
  assert.deepEqual(await post({ name: 'x' }), {
    message: { scopes: ["can't be blank"], expires_at: ["can't be blank"] },
  });
  assert.deepEqual(await post({ name: 'x', scopes: 'api,everything', expires_at: EXPIRES_AT }), {
    message: { scopes: ['can only contain available scopes'] },
  });
  assert.deepEqual(await post({ name: 'x', scopes: 'api', expires_at: '2028-01-01' }), {
    message: { expires_at: ['must be before 2027-01-02'] },
  });
  assert.deepEqual((await root.get(getTokensPath(mira))).body, []);
});

test('creates a token without an expiry date if the settings require none', async () => {
  const mira = await user();
  await root.put('/application/settings', { require_personal_access_token_expiry: false });
  const { body } = await root.post(getTokensPath(mira), { name: 'x', scopes: ['api'] });
  await root.put('/application/settings', { require_personal_access_token_expiry: true });
  assert.deepEqual([body.active, body.expires_at], [true, null]);
});

test('rejects impersonation tokens of internal users', async () => {
  const ghost = await server.services.database.reader
    .selectFrom('users')
    .select('id')
    .where('username', '=', 'ghost')
    .executeTakeFirstOrThrow();
  const order = { name: 'x', scopes: ['api'], expires_at: EXPIRES_AT };
  assert.equal((await root.post(`/users/${ghost.id}/impersonation_tokens`, order)).status, 403);
});

test('creates no token for a user who is deleted concurrently', async () => {
  const mira = await user();
  const { database } = server.services;
  atNextTransaction(here, async (run) => {
    assert.equal((await root.delete(`/users/${mira.id}`)).status, 204);
    return run();
  });
  const answer = await root.post(getTokensPath(mira), { name: 'late', scopes: ['api'], expires_at: EXPIRES_AT });
  assert.deepEqual([answer.status, answer.body], [404, { message: '404 User Not Found' }]);
  const left = database.reader.selectFrom('access_tokens').select('id').where('user_id', '=', mira.id);
  assert.deepEqual(await left.execute(), []);
  await runJobs();
});

test('rejects only impersonation tokens while impersonation is disabled', async () => {
  const off = await world({ env: { HEARTH_IMPERSONATION_ENABLED: 'false' } });
  const mira = await off.user();
  const { body } = await off.root.post(getTokensPath(mira), { name: 'x', scopes: ['api'], expires_at: EXPIRES_AT });
  const refusal = await off.withToken(mira, body.token).get('/user');
  assert.equal(refusal.status, 401);
  const description = 'Token is an impersonation token but impersonation was disabled.';
  assert.equal(refusal.body.error_description, description);
  assert.equal((await mira.get('/user')).status, 200);
});
