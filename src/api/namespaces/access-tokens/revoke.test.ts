import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestResponse } from '#test/support/caller.ts';
import { createParentToken, createTokenParent, PARENT_TYPES } from './fixtures.testing.ts';

// The test clock is at 2026-01-02. Each test runs for a project and for a group.

function assertRejected(answer: TestResponse, status: number, message: string): void {
  assert.deepEqual([answer.status, answer.body], [status, { message }]);
}

for (const kind of PARENT_TYPES) {
  test(`${kind}: revokes a token permanently and keeps its bot`, async () => {
    const parent = await createTokenParent(kind);
    const { id, body, bot } = await createParentToken(parent);
    assert.equal((await parent.manager.delete(`${parent.at}/access_tokens/${id}`)).status, 204);
    const dead = await bot.get('/user');
    assert.equal(dead.status, 401);
    assert.equal(dead.body.error_description, 'Token was revoked. You have to re-authorize from the user.');
    const result = (await parent.owner.get(`${parent.at}/access_tokens/${id}`)).body;
    assert.deepEqual([result.revoked, result.active], [true, false]);
    assert.equal((await parent.owner.get(`${parent.at}/members/${body.user_id}`)).body.access_level, 40);
    assert.equal((await parent.owner.delete(`${parent.at}/access_tokens/${id}`)).status, 204, 'again');
  });

  test(`${kind}: returns 404 for tokens of other parents or users and for unknown ids`, async () => {
    const parent = await createTokenParent(kind);
    const elsewhere = await createParentToken(await createTokenParent(kind));
    const own = (await parent.owner.get('/personal_access_tokens/self')).body;
    for (const id of [elsewhere.id, own.id, 4711, '99999999999999999999']) {
      const path = `${parent.at}/access_tokens/${id}`;
      assertRejected(await parent.owner.get(path), 404, `404 ${kind} Access Token Not Found`);
      assertRejected(await parent.owner.delete(path), 404, `404 ${kind} Access Token Not Found`);
    }
    const word = await parent.owner.get(`${parent.at}/access_tokens/word`);
    assert.deepEqual([word.status, word.body], [400, { error: 'token_id is invalid' }]);
    assert.equal((await elsewhere.bot.get('/user')).status, 200);
    assert.equal((await parent.owner.get('/user')).status, 200);
  });
}
