import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns flags to administrators only', async () => {
  const { anonymous, user } = await world();
  const mira = await user();
  for (const path of ['/features', '/features/definitions']) {
    assert.equal((await anonymous.get(path)).status, 401);
    assert.equal((await mira.get(path)).status, 403);
  }
  assert.equal((await mira.post('/features/archive_rate_limit', {})).status, 403, 'before parameters');
});
