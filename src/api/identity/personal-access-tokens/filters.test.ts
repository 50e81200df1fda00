import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

// The ends of the filters of lists of tokens, and what of lists is nobody's business (contract/conventions.md §10).

const { root, user, withToken, clock } = await world({ env: { HEARTH_SITE_NAME: 'narrowed' } });
const mira = await user();

async function issued(name: string, params: object = {}) {
  const order = { name, scopes: 'read_api , self_rotate', ...params };
  const { status, body, text } = await root.post(`/users/${mira.id}/personal_access_tokens`, order);
  assert.equal(status, 201, text);
  return body as { id: number; token: string };
}

clock.advance(3600);
const one = await issued('One 100%', { expires_at: '2026-03-01' });
clock.advance(60);
const two = await issued('Two_x', { expires_at: '2026-03-02' });
clock.advance(60);
const three = await issued('three', { expires_at: '2026-02-01' });
const used = withToken(mira, two.token);
await used.get('/version');
const AT = ['2026-01-02T04:04:05.000Z', '2026-01-02T04:05:05.000Z', '2026-01-02T04:06:05.000Z'] as const;

/** Of those three. */
async function found(params: Readonly<Record<string, unknown>>, caller = mira): Promise<string> {
  const { status, body, text } = await caller.get('/personal_access_tokens', { user_id: mira.id, ...params });
  assert.equal(status, 200, text);
  const names = new Map([
    [one.id, '1'],
    [two.id, '2'],
    [three.id, '3'],
  ]);
  return body.map(({ id }: { id: number }) => names.get(id) ?? '').join('');
}

test('filters by creation time inclusively', async () => {
  assert.equal(await found({ created_before: AT[1] }), '12');
  assert.equal(await found({ created_after: AT[1] }), '23');
  assert.equal(await found({ created_after: AT[1], created_before: AT[1] }), '2');
  assert.equal(await found({ created_after: '2026-01-02T05:05:05+01:00' }), '23');
  assert.equal(await found({ created_after: '2026-01-02 04:06:05' }), '3');
});

test('filters by expiry date: before is exclusive, after inclusive', async () => {
  assert.equal(await found({ expires_before: '2026-03-02' }), '13');
  assert.equal(await found({ expires_after: '2026-03-01' }), '12');
  assert.equal(await found({ expires_after: '2026-3-1', expires_before: '2026-3-2' }), '1');
});

test('filters by last use inclusively and omits unused tokens', async () => {
  assert.equal(await found({ last_used_before: AT[2] }), '2');
  assert.equal(await found({ last_used_after: AT[2] }), '2');
  assert.equal(await found({ last_used_before: AT[1] }), '');
});

test('searches a literal part of the name in any case', async () => {
  assert.equal(await found({ search: 'THREE' }), '3');
  assert.equal(await found({ search: 'o' }), '12');
  assert.equal(await found({ search: '%' }), '1');
  assert.equal(await found({ search: '_' }), '2');
  assert.equal(await found({ search: '' }), '123');
});

test('sorts by each order in both directions and rejects unknown orders', async () => {
  assert.equal(await found({ sort: 'created_desc' }), '321');
  assert.equal(await found({ sort: 'created_asc' }), '123');
  assert.equal(await found({ sort: 'expires_asc' }), '312');
  assert.equal(await found({ sort: 'name_asc' }), '132');
  assert.equal(await found({ sort: 'name_desc' }), '231');
  assert.equal((await found({ sort: 'last_used_desc' })).at(0), '2');
  for (const sort of ['', 'id_desc', 'name', 'created_up']) assert.equal(await found({ sort }), '123', sort);
});

test('rejects listing the tokens of other users', async () => {
  const otto = await user();
  const refused = await otto.get('/personal_access_tokens', { user_id: mira.id });
  assert.deepEqual([refused.status, refused.body], [401, { message: '401 Unauthorized' }]);
  const missing = await otto.get('/personal_access_tokens', { user_id: 999_999 });
  assert.deepEqual([missing.status, missing.body], [401, { message: '401 Unauthorized' }]);
  assert.equal((await otto.get('/personal_access_tokens', { user_id: otto.id })).body.length, 1);
  assert.equal(await found({}, root), '123');
  const wrong = await root.get('/personal_access_tokens', { user_id: 'x', revoked: 'maybe', created_after: 'soon' });
  assert.deepEqual(wrong.body, { error: 'user_id is invalid, revoked is invalid, created_after is invalid' });
});

test('lists impersonation tokens for administrators, not for their users', async () => {
  const order = { name: 'debug', scopes: ['api'], expires_at: '2026-02-01' };
  const { id } = (await root.post(`/users/${mira.id}/impersonation_tokens`, order)).body;
  const isListed = async (caller: Caller, params = {}) =>
    (await caller.get('/personal_access_tokens', { search: 'debug', per_page: 100, ...params })).body.some(
      (token: { id: number }) => token.id === id,
    );
  assert.deepEqual([await isListed(mira), await isListed(mira, { user_id: mira.id })], [false, false]);
  assert.deepEqual([await isListed(root), await isListed(root, { user_id: mira.id })], [true, true]);
});

test('returns the secret in the first response only and never logs it', async () => {
  const { logged, anonymous } = await world({ env: { HEARTH_SITE_NAME: 'narrowed' } });
  const { token, id } = await issued('secret');
  await anonymous.get('/version', { private_token: token });
  await anonymous.get('/version', {}, { Authorization: `Bearer ${token}` });
  await anonymous.post('/nothing', { access_token: token });
  const next = (await root.post(`/personal_access_tokens/${id}/rotate`)).body;
  for (const path of ['/personal_access_tokens', `/personal_access_tokens/${id}`, '/audit_events']) {
    const { text } = await root.get(path, { per_page: 100 });
    assert.ok(!text.includes(token) && !text.includes(next.token), path);
  }
  assert.ok(!logged().includes(token) && !logged().includes(next.token));
});
