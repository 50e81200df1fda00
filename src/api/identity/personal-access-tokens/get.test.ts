import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { issueTestToken } from './fixtures.testing.ts';

// The world's clock stands at 2026-01-02.

test('records the use of a token at most every ten minutes', async () => {
  const { user, clock } = await world({ env: { HEARTH_SITE_NAME: 'uses' } });
  const mira = await user();
  const used = async () => Date.parse((await mira.get('/personal_access_tokens/self')).body.last_used_at);
  const first = await used();
  clock.advance(599);
  assert.equal(await used(), first);
  clock.advance(1);
  assert.equal(await used(), first + 600_000);
});

test('accepts the scope self_rotate, but not api, for a token that users create themselves', async () => {
  const { user } = await world();
  const mira = await user();
  const path = '/user/personal_access_tokens';
  assert.deepEqual((await mira.post(path, { name: 'x', scopes: ['api'] })).body, {
    error: 'scopes does not have a valid value',
  });
  const { status, body } = await mira.post(path, { name: 'x', scopes: ['self_rotate'] });
  assert.equal(status, 201);
  assert.equal(body.user_id, mira.id);
});

test('returns 404 for tokens of others, with details for administrators', async () => {
  const { root, user } = await world();
  const [mira, otto] = [await user(), await user()];
  const { id } = await issueTestToken(mira);
  assert.equal((await mira.get(`/personal_access_tokens/${id}`)).body.name, 'ci');
  for (const unseen of [id, 4711]) {
    const { status, body } = await otto.get(`/personal_access_tokens/${unseen}`);
    assert.equal(status, 401);
    assert.deepEqual(body, { message: '401 Unauthorized' });
  }
  assert.deepEqual((await root.get('/personal_access_tokens/4711')).body, { message: '404 Not Found' });
  assert.deepEqual((await root.get('/personal_access_tokens/x')).body, { error: 'id is invalid' });
});
