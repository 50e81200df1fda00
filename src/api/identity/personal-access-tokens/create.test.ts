import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { issueTestToken } from './fixtures.testing.ts';

const { newProject } = await world();

// The world's clock stands at 2026-01-02.

test('returns the secret of a new token once, and the token works', async () => {
  const { user } = await world();
  const mira = await user();
  const token = await issueTestToken(mira, { scopes: 'api, read_user', description: 'for builds' });
  assert.match(token.token, /^glpat-[\w-]{20,}$/);
  assert.deepEqual(token.scopes, ['api', 'read_user']);
  assert.equal(token.expires_at, '2027-01-02');
  assert.equal(token.last_used_at, null);
  assert.equal((await token.caller.get('/user')).body.username, mira.username);
  const { body } = await token.caller.get('/personal_access_tokens/self');
  assert.equal('token' in body, false);
  assert.equal(body.last_used_at, '2026-01-02T03:04:05.000Z');
  assert.deepEqual(body.last_used_ips, ['127.0.0.1']);
  assert.equal(body.description, 'for builds');
});

test('rejects missing, unknown and forbidden values', async () => {
  const { root, anonymous, user } = await world();
  const mira = await user();
  const path = `/users/${mira.id}/personal_access_tokens`;
  const order = { name: 'x', scopes: ['api'] };
  assert.equal((await anonymous.post(path)).status, 401);
  assert.deepEqual((await mira.post(path)).body, { message: '403 Forbidden' });
  assert.deepEqual((await root.post(path)).body, { error: 'name is missing, scopes is missing' });
  assert.deepEqual((await root.post(path, { ...order, scopes: ['root'] })).body, {
    error: 'scopes does not have a valid value',
  });
  assert.deepEqual((await root.post('/users/4711/personal_access_tokens', order)).body, {
    message: '404 User Not Found',
  });
  const empty = await root.post(path, { ...order, scopes: [] });
  assert.equal(empty.status, 422);
  assert.deepEqual(empty.body, { message: "Scopes can't be blank" });
  const late = await root.post(path, { ...order, expires_at: '2027-01-03' });
  assert.equal(late.status, 422);
  assert.deepEqual(late.body, { message: 'Expiration date must be before 2027-01-02' });
  assert.deepEqual((await root.post(path, { ...order, expires_at: 'soon' })).body, { error: 'expires_at is invalid' });
  assert.deepEqual((await root.get('/personal_access_tokens', { user_id: mira.id, search: 'x' })).body, []);
});

test('reports all invalid parameters in one message', async () => {
  const { root, user } = await world();
  const mira = await user();
  const sentenceOf = async (wrong: object) => {
    const order = { name: 'x', scopes: ['api'], ...wrong };
    const { status, body } = await root.post(`/users/${mira.id}/personal_access_tokens`, order);
    assert.equal(status, 422);
    return body.message;
  };
  const [name, scopes, expires_at] = [' ', [], '2027-01-03'];
  const late = 'Expiration date must be before 2027-01-02';
  assert.equal(await sentenceOf({ name }), "Name can't be blank");
  assert.equal(await sentenceOf({ name: 'x'.repeat(256) }), 'Name is too long (maximum is 255 characters)');
  assert.equal(await sentenceOf({ name, expires_at }), `Name can't be blank and ${late}`);
  assert.equal(
    await sentenceOf({ name, scopes, expires_at }),
    `Name can't be blank, Scopes can't be blank, and ${late}`,
  );
});

test('returns a token with the expiry date today as inactive', async () => {
  const { user } = await world();
  const mira = await user();
  const token = await issueTestToken(mira, { expires_at: '2026-01-02' });
  assert.equal(token.active, false);
  const { status, body, headers } = await token.caller.get('/user');
  assert.equal(status, 401);
  const error_description = 'Token is expired. You can either do re-authorization or token refresh.';
  assert.deepEqual(body, { message: '401 Unauthorized', error: 'invalid_token', error_description });
  assert.equal(
    headers['www-authenticate'],
    `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${error_description}"`,
  );
  assert.equal((await (await issueTestToken(mira, { expires_at: '2026-01-03' })).caller.get('/user')).status, 200);
});

test('expires a token at the beginning of its expiry date in UTC', async () => {
  const { root, user, clock, withToken } = await world({ env: { HEARTH_SITE_NAME: 'midnight' } });
  const mira = await user();
  const project = await newProject({ owner: mira, name: 'midnight' });
  const order = { name: 'x', scopes: ['api'], expires_at: '2026-01-03' };
  const tokens = [
    await root.post(`/users/${mira.id}/personal_access_tokens`, order),
    await root.post(`/users/${mira.id}/impersonation_tokens`, order),
    await mira.post(`${project.at}/access_tokens`, order),
  ].map(({ body }) => withToken(mira, body.token));
  clock.advance((Date.parse('2026-01-03') - 1 - clock.now().getTime()) / 1000);
  for (const caller of tokens) assert.equal((await caller.get('/version')).status, 200);
  clock.advance(0.001);
  for (const caller of tokens) {
    const { status, body } = await caller.get('/version');
    assert.deepEqual([status, body.error_description?.startsWith('Token is expired.')], [401, true]);
  }
  const { body } = await mira.get('/personal_access_tokens', { state: 'inactive' });
  assert.deepEqual([body.length, body[0].active, body[0].revoked], [1, false, false]);
});

test('accepts expiry dates up to one year ahead, by calendar', async () => {
  const { root, user } = await world();
  const mira = await user();
  const path = `/users/${mira.id}/personal_access_tokens`;
  const order = { name: 'x', scopes: ['api'] };
  for (const expires_at of ['2027-01-02', '2027-1-2', '2027-01-02T23:59:59Z']) {
    assert.equal((await root.post(path, { ...order, expires_at })).body.expires_at, '2027-01-02');
  }
  for (const expires_at of ['2027-01-03', '2028-02-29', '9999-12-31']) {
    const { status, body } = await root.post(path, { ...order, expires_at });
    assert.deepEqual([status, body], [422, { message: 'Expiration date must be before 2027-01-02' }]);
  }
  for (const expires_at of [null, '']) {
    assert.equal((await root.post(path, { ...order, expires_at })).body.expires_at, '2027-01-02');
  }
  for (const expires_at of ['2026-02-29', 'soon', '2026', 5, true]) {
    assert.deepEqual((await root.post(path, { ...order, expires_at })).body, { error: 'expires_at is invalid' });
  }
});

test('sets the expiry date to a year ahead, or to none if the settings allow that', async () => {
  const { root, user } = await world({ env: { HEARTH_SITE_NAME: 'lifetimes' } });
  const mira = await user();
  const order = { name: 'x', scopes: ['api'] };
  const create = async () => (await root.post(`/users/${mira.id}/personal_access_tokens`, order)).body;
  await root.put('/application/settings', { require_personal_access_token_expiry: false });
  assert.equal((await create()).expires_at, null);
  await root.put('/application/settings', {
    max_personal_access_token_lifetime: 30,
    personal_access_token_prefix: 'forge-',
  });
  const { expires_at, token } = await create();
  assert.equal(expires_at, null, 'nobody has to name a date');
  assert.match(token, /^forge-/);
  await root.put('/application/settings', { require_personal_access_token_expiry: true });
  assert.equal((await create()).expires_at, '2026-02-01');
});
