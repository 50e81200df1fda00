import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';
import { createParentToken, createTokenParent, PARENT_TYPES } from './fixtures.testing.ts';

// The test clock is at 2026-01-02.

async function isActive(bot: Caller): Promise<boolean> {
  return (await bot.get('/version')).status === 200;
}

for (const kind of PARENT_TYPES) {
  test(`${kind}: rotates a token of the same bot, valid for a week, and revokes the old one`, async () => {
    const { withToken } = await world();
    const parent = await createTokenParent(kind);
    const { id, body: old, bot } = await createParentToken(parent, { description: 'for builds', access_level: 20 });
    const path = `${parent.at}/access_tokens/${id}/rotate`;
    const { status, body } = await parent.manager.post(path);
    assert.equal(status, 200);
    const { id: newId, token, expires_at, ...rest } = body;
    const { id: _id, token: _token, expires_at: _day, ...before } = old;
    assert.deepEqual(rest, before);
    assert.notEqual(newId, id);
    assert.equal(expires_at, '2026-01-09');
    assert.equal(await isActive(bot), false);
    assert.equal(await isActive(withToken(bot, token)), true);
    const again = await parent.manager.post(path);
    assert.deepEqual([again.status, again.body], [400, { message: '400 Bad request - Token already revoked' }]);
    assert.deepEqual((await parent.owner.get(`${parent.at}/access_tokens`, { state: 'active' })).body.length, 1);
  });

  test(`${kind}: lets a token rotate itself with the scope self_rotate alone, until the latest date`, async () => {
    const { withToken } = await world();
    const parent = await createTokenParent(kind);
    const { id, bot } = await createParentToken(parent, { scopes: ['self_rotate'], access_level: 10 });
    const self = `${parent.at}/access_tokens/self/rotate`;
    assert.equal((await bot.post(`${parent.at}/access_tokens/${id}/rotate`)).status, 403);
    const late = await bot.post(self, { expires_at: '2027-01-03' });
    const text = '400 Bad request - Expiration date must be before 2027-01-02';
    assert.deepEqual([late.status, late.body], [400, { message: text }]);
    const { status, body } = await bot.post(self, { expires_at: '2027-01-02' });
    assert.equal(status, 200);
    assert.deepEqual([body.expires_at, body.access_level, body.resource_id], ['2027-01-02', 10, parent.id]);
    assert.equal((await withToken(bot, body.token).post(self)).status, 200);
    assert.equal((await bot.post(self)).status, 401);
  });

  test(`${kind}: does not rotate with other scopes`, async () => {
    const parent = await createTokenParent(kind);
    const { bot } = await createParentToken(parent, { scopes: ['read_api'] });
    const { status, body } = await bot.post(`${parent.at}/access_tokens/self/rotate`);
    assert.deepEqual([status, body.scope], [403, 'self_rotate api']);
    assert.equal(await isActive(bot), true);
  });

  test(`${kind}: rotates only tokens of the same parent by themselves`, async () => {
    const { tokenOf } = await world();
    const parent = await createTokenParent(kind, { visibility: 'public' });
    const other = await createParentToken(await createTokenParent(kind));
    const spare = await tokenOf(parent.owner, ['api']);
    for (const caller of [spare, other.bot]) {
      const { status, body } = await caller.post(`${parent.at}/access_tokens/self/rotate`);
      assert.deepEqual([status, body], [401, { message: '401 Unauthorized' }]);
      assert.equal(await isActive(caller), true, 'the token is unchanged');
    }
  });

  test(`${kind}: returns 404 to administrators and 401 to others for an unknown token`, async () => {
    const { root } = await world();
    const parent = await createTokenParent(kind);
    const elsewhere = await createParentToken(await createTokenParent(kind));
    const path = `${parent.at}/access_tokens/${elsewhere.id}/rotate`;
    assert.deepEqual((await parent.owner.post(path)).body, { message: '401 Unauthorized' });
    const { status, body } = await root.post(path);
    assert.deepEqual([status, body], [404, { message: '404 Not Found' }]);
    assert.equal(await isActive(elsewhere.bot), true);
  });

  test(`${kind}: revokes the whole chain when a revoked token is rotated again`, async () => {
    const { withToken } = await world();
    const parent = await createTokenParent(kind);
    const other = await createParentToken(parent);
    const self = `${parent.at}/access_tokens/self/rotate`;
    const { bot } = await createParentToken(parent);
    const second = withToken(bot, (await bot.post(self)).body.token);
    const third = withToken(bot, (await second.post(self)).body.token);
    assert.equal(await isActive(bot), false, 'a revoked token is rejected');
    assert.equal(await isActive(third), true, 'using a revoked token does not revoke the chain');
    assert.equal((await bot.post(self)).status, 401);
    assert.equal(await isActive(third), false);
    assert.equal(await isActive(other.bot), true, 'other tokens stay active');
  });

  test(`${kind}: lets one of two concurrent rotations win`, async () => {
    const parent = await createTokenParent(kind);
    for (let round = 0; round < 3; round++) {
      const { id } = await createParentToken(parent);
      const path = `${parent.at}/access_tokens/${id}/rotate`;
      const both = await Promise.all([1, 2].map(() => parent.owner.post(path)));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
    }
    for (let round = 0; round < 3; round++) {
      const { bot } = await createParentToken(parent);
      const both = await Promise.all([1, 2].map(() => bot.post(`${parent.at}/access_tokens/self/rotate`)));
      const [one, other] = both.map(({ status }) => status).sort();
      assert.equal(one, 200);
      assert.ok(other === 400 || other === 401, String(other));
    }
  });
}

test('project: does not let a Maintainer rotate a token with a higher role', async () => {
  const parent = await createTokenParent('project');
  const { id, bot } = await createParentToken(parent, { access_level: 50 });
  const path = `${parent.at}/access_tokens/${id}/rotate`;
  const { status, body } = await parent.manager.post(path);
  const text = '400 Bad request - Not eligible to rotate tokens with permissions not held by the user';
  assert.deepEqual([status, body], [400, { message: text }]);
  assert.equal(await isActive(bot), true);
  assert.equal((await parent.owner.post(path)).status, 200);
});
