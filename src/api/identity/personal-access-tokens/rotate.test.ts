import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const ORDER = { name: 'ci', scopes: ['api'] };

async function issued(owner: Caller, scopes = ['api']) {
  const { root, withToken } = await world();
  const order = { name: 'ci', scopes, description: 'for builds' };
  const { body } = await root.post(`/users/${owner.id}/personal_access_tokens`, order);
  return { id: body.id, caller: withToken(owner, body.token) };
}

test('rotates a token: revokes the old one and returns a new one for a week', async () => {
  const { user, withToken } = await world();
  const mira = await user();
  const { id, caller } = await issued(mira);
  const { status, body } = await mira.post(`/personal_access_tokens/${id}/rotate`);
  assert.equal(status, 200);
  assert.notEqual(body.id, id);
  assert.deepEqual([body.name, body.description, body.scopes], ['ci', 'for builds', ['api']]);
  assert.equal(body.expires_at, '2026-01-09');
  assert.equal((await caller.get('/user')).status, 401);
  assert.equal((await withToken(mira, body.token).get('/user')).status, 200);
  const again = await mira.post(`/personal_access_tokens/${id}/rotate`);
  assert.equal(again.status, 400);
  assert.deepEqual(again.body, { message: '400 Bad request - Token already revoked' });
});

test('lets a token rotate itself with only the scope self_rotate', async () => {
  const { user, withToken } = await world();
  const mira = await user();
  const { caller, id } = await issued(mira, ['self_rotate']);
  assert.equal((await caller.post(`/personal_access_tokens/${id}/rotate`)).status, 403);
  const { status, body } = await caller.post('/personal_access_tokens/self/rotate', { expires_at: '2026-03-01' });
  assert.equal(status, 200);
  assert.equal(body.expires_at, '2026-03-01');
  const next = withToken(mira, body.token);
  const late = await next.post('/personal_access_tokens/self/rotate', { expires_at: '2027-02-01' });
  assert.equal(late.status, 400);
  assert.deepEqual(late.body, { message: '400 Bad request - Expiration date must be before 2027-01-02' });
  assert.equal((await next.get('/personal_access_tokens/self')).body.active, true, 'nothing happened');
});

test('keeps a rotated token without an expiry date if the settings require none', async () => {
  const { root, user } = await world({ env: { HEARTH_SITE_NAME: 'without dates' } });
  const mira = await user();
  const created = async () => (await root.post(`/users/${mira.id}/personal_access_tokens`, ORDER)).body.id;
  const rotated = async (params = {}) =>
    (await root.post(`/personal_access_tokens/${await created()}/rotate`, params)).body.expires_at;
  await root.put('/application/settings', { require_personal_access_token_expiry: false });
  assert.equal(await rotated(), null);
  assert.equal(await rotated({ expires_at: '2036-01-02' }), '2036-01-02');
  await root.put('/application/settings', { max_personal_access_token_lifetime: 3 });
  assert.equal(await rotated(), null);
  const late = await root.post(`/personal_access_tokens/${await created()}/rotate`, { expires_at: '2026-01-06' });
  assert.deepEqual(late.body, { message: '400 Bad request - Expiration date must be before 2026-01-05' });
  await root.put('/application/settings', { require_personal_access_token_expiry: true });
  assert.equal(await rotated(), '2026-01-05', 'the latest day comes before the week is over');
});

test('reveals nothing to callers who may not rotate the token', async () => {
  const { root, user } = await world();
  const [mira, otto] = [await user(), await user()];
  const { id } = await issued(mira);
  assert.equal((await otto.post(`/personal_access_tokens/${id}/rotate`)).status, 401);
  assert.equal((await otto.post('/personal_access_tokens/4711/rotate')).status, 401);
  assert.equal((await root.post('/personal_access_tokens/4711/rotate')).status, 404);
  assert.equal((await root.post(`/personal_access_tokens/${id}/rotate`)).status, 200);
});

test('revokes the whole chain if a revoked token is rotated again', async () => {
  const { user, withToken } = await world();
  const mira = await user();
  const first = await issued(mira);
  const second = (await first.caller.post('/personal_access_tokens/self/rotate')).body;
  const third = (await withToken(mira, second.token).post('/personal_access_tokens/self/rotate')).body;
  assert.equal((await withToken(mira, third.token).get('/user')).status, 200);
  assert.equal((await first.caller.get('/user')).status, 401, 'mere use is refused');
  assert.equal((await withToken(mira, third.token).get('/user')).status, 200, 'and harms nobody');
  assert.equal((await first.caller.post('/personal_access_tokens/self/rotate')).status, 401);
  assert.equal((await withToken(mira, third.token).get('/user')).status, 401);
  assert.equal((await mira.get('/user')).status, 200, 'other tokens live on');
});

test('lets one of two concurrent rotations succeed', async () => {
  const { user } = await world();
  const mira = await user();
  for (let round = 0; round < 5; round++) {
    const { id } = await issued(mira);
    const both = await Promise.all([1, 2].map(() => mira.post(`/personal_access_tokens/${id}/rotate`)));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
  }
});
