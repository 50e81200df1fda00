import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';

// Tokens that are rotated with when they are dead, and what chains and clocks make of it (contract/conventions.md §10).

const { root, user, withToken, clock, name } = await world();

const SELF = '/personal_access_tokens/self/rotate';

async function rotated(caller: Caller, path = SELF, params: object = {}) {
  const { status, body, text } = await caller.post(path, { ...params });
  assert.equal(status, 200, text);
  return { id: body.id as number, body, caller: withToken(caller, body.token) };
}

const lives = async (caller: Caller) => (await caller.get('/version')).status === 200;

async function given(owner: Caller, params: object = {}) {
  const order = { name: name('token'), scopes: ['api'], ...params };
  const { body, status } = await root.post(`/users/${owner.id}/personal_access_tokens`, order);
  assert.equal(status, 201);
  return { id: body.id as number, body, caller: withToken(owner, body.token) };
}

test('revokes the chain of a revoked token that rotates any id, and reveals nothing', async () => {
  const mira = await user();
  const other = await given(mira);
  for (const path of [other.id, 999_999, 'self'].map((id) => `/personal_access_tokens/${id}/rotate`)) {
    const first = await given(mira);
    const second = await rotated(first.caller);
    const third = await rotated(second.caller);
    const { status, body } = await second.caller.post(path);
    assert.deepEqual([status, body.error], [401, 'invalid_token']);
    assert.equal(await lives(third.caller), false, path);
    const shown = (await mira.get(`/personal_access_tokens/${third.id}`)).body;
    assert.deepEqual([shown.revoked, shown.active], [true, false]);
  }
  assert.equal(await lives(other.caller), true);
  assert.equal(await lives(mira), true);
});

test('detects reuse by query, body and bearer header', async () => {
  const { anonymous } = await world();
  const mira = await user();
  for (const ask of [
    (token: string) => anonymous.send('POST', `${SELF}?private_token=${token}`),
    (token: string) => anonymous.post(SELF, { access_token: token }),
    (token: string) => anonymous.send('POST', SELF, { headers: { Authorization: `Bearer ${token}` } }),
  ]) {
    const first = await given(mira);
    const second = await rotated(first.caller);
    assert.equal((await ask(first.body.token)).status, 401);
    assert.equal(await lives(second.caller), false);
  }
});

test('revokes the chain if a revoked token that has expired is reused', async () => {
  const mira = await user();
  const first = await given(mira, { expires_at: '2026-01-03' });
  const second = await rotated(first.caller, SELF, { expires_at: '2026-06-01' });
  clock.advance(2 * 86_400);
  const { status, body } = await first.caller.post(SELF);
  clock.advance(-2 * 86_400);
  assert.deepEqual([status, body.error_description.startsWith('Token is expired.')], [401, true]);
  assert.equal(await lives(second.caller), false);
});

test('keeps the chain if an expired token that was not revoked tries to rotate', async () => {
  const mira = await user();
  const first = await given(mira, { expires_at: '2026-01-03' });
  clock.advance(86_400);
  assert.equal((await first.caller.post(SELF)).status, 401);
  const { body } = await mira.post(`/personal_access_tokens/${first.id}/rotate`);
  assert.equal(body.active, true, 'its user can');
  clock.advance(-86_400);
});

test('keeps at most one valid token in a chain during concurrent rotations', async () => {
  const mira = await user();
  for (let round = 0; round < 5; round++) {
    const first = await given(mira);
    const tries = await Promise.all([
      ...Array.from({ length: 3 }, () => mira.post(`/personal_access_tokens/${first.id}/rotate`)),
      root.post(`/personal_access_tokens/${first.id}/rotate`),
    ]);
    const won = tries.filter(({ status }) => status === 200);
    assert.deepEqual([won.length, tries.filter(({ status }) => status === 400).length], [1, 3]);
    assert.equal(await lives(withToken(mira, won[0]?.body.token)), true);
    assert.equal(await lives(first.caller), false);
  }
});

test('leaves no valid token if a chain is revoked during a rotation', async () => {
  const mira = await user();
  for (let round = 0; round < 8; round++) {
    const first = await given(mira);
    const second = await rotated(first.caller);
    const [reuse, growth] = await Promise.all([first.caller.post(SELF), second.caller.post(SELF)]);
    assert.equal(reuse.status, 401);
    // It grew and was ended with the rest, or it was ended already.
    if (growth.status === 200) assert.equal(await lives(withToken(mira, growth.body.token)), false);
    else assert.ok([400, 401].includes(growth.status), growth.text);
    assert.equal(await lives(second.caller), false);
  }
});

test('keeps a rotated impersonation token an impersonation token, hidden from its user', async () => {
  const mira = await user();
  const order = { name: 'debug', scopes: ['api'], expires_at: '2026-02-01' };
  const { id, token } = (await root.post(`/users/${mira.id}/impersonation_tokens`, order)).body;
  assert.equal((await mira.post(`/personal_access_tokens/${id}/rotate`)).status, 401);
  const next = await rotated(root, `/personal_access_tokens/${id}/rotate`);
  assert.equal(await lives(withToken(mira, token)), false);
  assert.equal(await lives(withToken(mira, next.body.token)), true);
  const { body } = await root.get(`/users/${mira.id}/impersonation_tokens/${next.id}`);
  assert.deepEqual([body.impersonation, body.active, body.expires_at], [true, true, '2026-01-09']);
  const own = (await mira.get('/personal_access_tokens')).body.map(({ id }: { id: number }) => id);
  assert.ok(!own.includes(next.id));
});

test('accepts expiry dates of a rotation up to the limit and rejects later and past ones', async () => {
  const mira = await user();
  const { id } = await given(mira);
  const path = (id: number) => `/personal_access_tokens/${id}/rotate`;
  const late = await mira.post(path(id), { expires_at: '2027-01-03' });
  assert.deepEqual(
    [late.status, late.body],
    [400, { message: '400 Bad request - Expiration date must be before 2027-01-02' }],
  );
  const wrong = await mira.post(path(id), { expires_at: '2026-02-30' });
  assert.deepEqual([wrong.status, wrong.body], [400, { error: 'expires_at is invalid' }]);
  const last = await rotated(mira, path(id), { expires_at: '2027-01-02' });
  assert.equal(last.body.expires_at, '2027-01-02');
  const blank = await rotated(mira, path(last.id), { expires_at: '' });
  assert.equal(blank.body.expires_at, '2026-01-09');
  const past = await rotated(mira, path(blank.id), { expires_at: '2026-01-02' });
  assert.deepEqual([past.body.active, await lives(past.caller)], [false, false]);
});
