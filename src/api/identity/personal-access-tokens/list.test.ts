import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { issueTestToken } from './fixtures.testing.ts';

// The world's clock stands at 2026-01-02.

test("lists the caller's tokens with filters and orders", async () => {
  const { root, user } = await world();
  const mira = await user();
  const later = await issueTestToken(mira, { name: 'Later', expires_at: '2026-12-24' });
  const sooner = await issueTestToken(mira, { name: 'Sooner', expires_at: '2026-02-01' });
  const dead = await issueTestToken(mira, { name: 'Dead', expires_at: '2025-12-24' });
  await root.delete(`/personal_access_tokens/${sooner.id}`);
  const ids = async (params: object, caller = mira) =>
    (await caller.get('/personal_access_tokens', { ...params })).body
      .map(({ id }: { id: number }) => id)
      .filter((id: number) => id >= later.id);
  assert.deepEqual(await ids({}), [later.id, sooner.id, dead.id]);
  assert.deepEqual(await ids({ state: 'active' }), [later.id]);
  assert.deepEqual(await ids({ state: 'inactive' }), [sooner.id, dead.id]);
  assert.deepEqual(await ids({ revoked: true }), [sooner.id]);
  assert.deepEqual(await ids({ search: 'OON' }), [sooner.id]);
  assert.deepEqual(await ids({ sort: 'name_asc' }), [dead.id, later.id, sooner.id]);
  assert.deepEqual(await ids({ sort: 'expires_desc' }), [later.id, sooner.id, dead.id]);
  assert.deepEqual(await ids({ sort: 'toString_asc' }), [later.id, sooner.id, dead.id]);
  assert.deepEqual(await ids({ expires_before: '2026-02-01' }), [dead.id]);
  assert.deepEqual(await ids({ expires_after: '2026-02-01', sort: 'expires_asc' }), [sooner.id, later.id]);
  assert.deepEqual(await ids({ created_after: '2026-01-02T03:04:05Z', created_before: '2026-01-01' }), []);
  assert.deepEqual(await ids({ user_id: mira.id }, root), [later.id, sooner.id, dead.id]);
});

test('lists tokens of other users for administrators only, and rejects unknown states', async () => {
  const { root, user } = await world();
  const [mira, otto] = [await user(), await user()];
  assert.equal((await mira.get('/personal_access_tokens', { user_id: otto.id })).status, 401);
  for (const user_id of [4711, '']) {
    assert.deepEqual((await root.get('/personal_access_tokens', { user_id })).body, { message: '404 Not Found' });
  }
  assert.equal(
    (await mira.get('/personal_access_tokens', { state: 'tired' })).body.error,
    'state does not have a valid value',
  );
});
