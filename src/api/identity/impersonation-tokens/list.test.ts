import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createTestToken, getTokensPath } from './fixtures.testing.ts';

const { root, user, withToken } = await world();

test('lists the impersonation tokens of a user by state', async () => {
  const [mira, other] = [await user(), await user()];
  const [live, past, ended] = [
    await createTestToken(mira),
    await createTestToken(mira, { expires_at: '2026-01-01' }),
    await createTestToken(mira),
  ];
  await createTestToken(other);
  await root.delete(`${getTokensPath(mira)}/${ended.id}`);
  const ids = async (state?: string) =>
    (await root.get(getTokensPath(mira), { state })).body.map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids(), [live.id, past.id, ended.id]);
  assert.deepEqual(await ids('active'), [live.id]);
  assert.deepEqual(await ids('inactive'), [past.id, ended.id]);
  assert.deepEqual((await root.get(getTokensPath(mira), { state: 'odd' })).body, {
    error: 'state does not have a valid value',
  });
  const { headers } = await root.get(getTokensPath(mira), { per_page: 1 });
  assert.deepEqual([headers['x-total'], headers['x-next-page']], ['3', '2']);
});

test('returns 404 for unknown users and tokens', async () => {
  const [mira, other] = [await user(), await user()];
  const token = await createTestToken(mira);
  assert.deepEqual((await root.get('/users/999999/impersonation_tokens')).body, { message: '404 User Not Found' });
  const { body: personal } = await root.post(`/users/${mira.id}/personal_access_tokens`, {
    name: 'own',
    scopes: ['api'],
  });
  for (const path of [
    `${getTokensPath(mira)}/999999`,
    `${getTokensPath(other)}/${token.id}`,
    `${getTokensPath(mira)}/${personal.id}`,
    `${getTokensPath(mira)}/99999999999999999999`,
  ]) {
    assert.deepEqual((await root.get(path)).body, { message: '404 Impersonation Token Not Found' });
    assert.equal((await root.delete(path)).status, 404);
  }
  assert.equal((await withToken(mira, personal.token).get('/user')).status, 200);
});
