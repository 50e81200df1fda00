import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '#test/support/caller.ts';
import { givenPlace, givenToken, KINDS } from './fixtures.testing.ts';

// The world's clock stands at 2026-01-02. Each test is run with a project's tokens and with a group's.

function refuses(answer: Answer, status: number, message: string): void {
  assert.deepEqual([answer.status, answer.body], [status, { message }]);
}

for (const kind of KINDS) {
  test(`${kind}: deleting a token ends it for good, and its bot stays`, async () => {
    const place = await givenPlace(kind);
    const { id, body, bot } = await givenToken(place);
    assert.equal((await place.manager.delete(`${place.at}/access_tokens/${id}`)).status, 204);
    const dead = await bot.get('/user');
    assert.equal(dead.status, 401);
    assert.equal(dead.body.error_description, 'Token was revoked. You have to re-authorize from the user.');
    const shown = (await place.owner.get(`${place.at}/access_tokens/${id}`)).body;
    assert.deepEqual([shown.revoked, shown.active], [true, false]);
    assert.equal((await place.owner.get(`${place.at}/members/${body.user_id}`)).body.access_level, 40);
    assert.equal((await place.owner.delete(`${place.at}/access_tokens/${id}`)).status, 204, 'again');
  });

  test(`${kind}: a token of another place, of a user, or of nobody is not found`, async () => {
    const place = await givenPlace(kind);
    const elsewhere = await givenToken(await givenPlace(kind));
    const own = (await place.owner.get('/personal_access_tokens/self')).body;
    for (const id of [elsewhere.id, own.id, 4711, '99999999999999999999']) {
      const path = `${place.at}/access_tokens/${id}`;
      refuses(await place.owner.get(path), 404, `404 ${kind} Access Token Not Found`);
      refuses(await place.owner.delete(path), 404, `404 ${kind} Access Token Not Found`);
    }
    const word = await place.owner.get(`${place.at}/access_tokens/word`);
    assert.deepEqual([word.status, word.body], [400, { error: 'token_id is invalid' }]);
    assert.equal((await elsewhere.bot.get('/user')).status, 200);
    assert.equal((await place.owner.get('/user')).status, 200);
  });
}
