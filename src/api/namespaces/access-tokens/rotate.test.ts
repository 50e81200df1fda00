import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';
import { givenPlace, givenToken, KINDS } from './fixtures.testing.ts';

// The world's clock stands at 2026-01-02.

async function works(bot: Caller): Promise<boolean> {
  return (await bot.get('/version')).status === 200;
}

for (const kind of KINDS) {
  test(`${kind}: rotation gives the same bot a new secret for a week, and the old one dies`, async () => {
    const { withToken } = await world();
    const place = await givenPlace(kind);
    const { id, body: old, bot } = await givenToken(place, { description: 'for builds', access_level: 20 });
    const path = `${place.at}/access_tokens/${id}/rotate`;
    const { status, body } = await place.manager.post(path);
    assert.equal(status, 200);
    const { id: newId, token, expires_at, ...rest } = body;
    const { id: _id, token: _token, expires_at: _day, ...before } = old;
    assert.deepEqual(rest, before);
    assert.notEqual(newId, id);
    assert.equal(expires_at, '2026-01-09');
    assert.equal(await works(bot), false);
    assert.equal(await works(withToken(bot, token)), true);
    const again = await place.manager.post(path);
    assert.deepEqual([again.status, again.body], [400, { message: '400 Bad request - Token already revoked' }]);
    assert.deepEqual((await place.owner.get(`${place.at}/access_tokens`, { state: 'active' })).body.length, 1);
  });

  test(`${kind}: a token may rotate itself with the scope self_rotate alone, until the last possible day`, async () => {
    const { withToken } = await world();
    const place = await givenPlace(kind);
    const { id, bot } = await givenToken(place, { scopes: ['self_rotate'], access_level: 10 });
    const self = `${place.at}/access_tokens/self/rotate`;
    assert.equal((await bot.post(`${place.at}/access_tokens/${id}/rotate`)).status, 403);
    const late = await bot.post(self, { expires_at: '2027-01-03' });
    const text = '400 Bad request - Expiration date must be before 2027-01-02';
    assert.deepEqual([late.status, late.body], [400, { message: text }]);
    const { status, body } = await bot.post(self, { expires_at: '2027-01-02' });
    assert.equal(status, 200);
    assert.deepEqual([body.expires_at, body.access_level, body.resource_id], ['2027-01-02', 10, place.id]);
    assert.equal((await withToken(bot, body.token).post(self)).status, 200);
    assert.equal((await bot.post(self)).status, 401);
  });

  test(`${kind}: other scopes do not rotate`, async () => {
    const place = await givenPlace(kind);
    const { bot } = await givenToken(place, { scopes: ['read_api'] });
    const { status, body } = await bot.post(`${place.at}/access_tokens/self/rotate`);
    assert.deepEqual([status, body.scope], [403, 'self_rotate api']);
    assert.equal(await works(bot), true);
  });

  test(`${kind}: only a token of the place itself is rotated there by itself`, async () => {
    const { tokenOf } = await world();
    const place = await givenPlace(kind, { visibility: 'public' });
    const other = await givenToken(await givenPlace(kind));
    const spare = await tokenOf(place.owner, ['api']);
    for (const caller of [spare, other.bot]) {
      const { status, body } = await caller.post(`${place.at}/access_tokens/self/rotate`);
      assert.deepEqual([status, body], [401, { message: '401 Unauthorized' }]);
      assert.equal(await works(caller), true, 'nothing happened');
    }
  });

  test(`${kind}: a missing token is 404 for administrators and 401 for others`, async () => {
    const { root } = await world();
    const place = await givenPlace(kind);
    const elsewhere = await givenToken(await givenPlace(kind));
    const path = `${place.at}/access_tokens/${elsewhere.id}/rotate`;
    assert.deepEqual((await place.owner.post(path)).body, { message: '401 Unauthorized' });
    const { status, body } = await root.post(path);
    assert.deepEqual([status, body], [404, { message: '404 Not Found' }]);
    assert.equal(await works(elsewhere.bot), true);
  });

  test(`${kind}: a revoked token that is rotated again takes its whole chain along`, async () => {
    const { withToken } = await world();
    const place = await givenPlace(kind);
    const other = await givenToken(place);
    const self = `${place.at}/access_tokens/self/rotate`;
    const { bot } = await givenToken(place);
    const second = withToken(bot, (await bot.post(self)).body.token);
    const third = withToken(bot, (await second.post(self)).body.token);
    assert.equal(await works(bot), false, 'mere use is refused');
    assert.equal(await works(third), true, 'and harms nobody');
    assert.equal((await bot.post(self)).status, 401);
    assert.equal(await works(third), false);
    assert.equal(await works(other.bot), true, 'other tokens live on');
  });

  test(`${kind}: of two rotations at once one wins`, async () => {
    const place = await givenPlace(kind);
    for (let round = 0; round < 3; round++) {
      const { id } = await givenToken(place);
      const path = `${place.at}/access_tokens/${id}/rotate`;
      const both = await Promise.all([1, 2].map(() => place.owner.post(path)));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
    }
    for (let round = 0; round < 3; round++) {
      const { bot } = await givenToken(place);
      const both = await Promise.all([1, 2].map(() => bot.post(`${place.at}/access_tokens/self/rotate`)));
      const [one, other] = both.map(({ status }) => status).sort();
      assert.equal(one, 200);
      assert.ok(other === 400 || other === 401, String(other));
    }
  });
}

test('project: a Maintainer rotates no token with a role above his own', async () => {
  const place = await givenPlace('project');
  const { id, bot } = await givenToken(place, { access_level: 50 });
  const path = `${place.at}/access_tokens/${id}/rotate`;
  const { status, body } = await place.manager.post(path);
  const text = '400 Bad request - Not eligible to rotate tokens with permissions not held by the user';
  assert.deepEqual([status, body], [400, { message: text }]);
  assert.equal(await works(bot), true);
  assert.equal((await place.owner.post(path)).status, 200);
});
