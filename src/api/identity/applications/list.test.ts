import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createTestApplication } from './fixtures.testing.ts';

const { root, anonymous, user } = await world();

test('lists applications in pages, oldest first', async () => {
  const [one, other] = [await createTestApplication(), await createTestApplication()];
  const { body, headers } = await root.get('/applications', { per_page: 100 });
  const ids = body.map(({ id }: { id: number }) => id);
  assert.deepEqual(ids.slice(-2), [one.id, other.id]);
  assert.equal(headers['x-total'], String(body.length));
  assert.equal((await root.get('/applications', { per_page: 1, page: body.length })).body[0].id, other.id);
});

test('returns 403 to other callers before it validates parameters', async () => {
  const mira = await user();
  const { id } = await createTestApplication();
  for (const [method, path] of [
    ['GET', '/applications'],
    ['POST', '/applications'],
    ['DELETE', `/applications/${id}`],
    ['POST', `/applications/${id}/renew-secret`],
  ] as const) {
    assert.deepEqual((await anonymous.send(method, path)).body, { message: '401 Unauthorized' });
    assert.deepEqual((await mira.send(method, path)).body, { message: '403 Forbidden' });
  }
});
