import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const path = '/application/settings';

test('returns the settings to administrators only', async () => {
  const { anonymous, user } = await world();
  const mira = await user();
  for (const [caller, status] of [
    [anonymous, 401],
    [mira, 403],
  ] as const) {
    assert.equal((await caller.get(path)).status, status);
    assert.equal((await caller.put(path, { bulk_import_enabled: 'maybe' })).status, status);
  }
});

test('sets local requests by an environment variable at the first start', async () => {
  const { root } = await world({ env: { HEARTH_ALLOW_LOCAL_REQUESTS: 'true' } });
  const key = 'allow_local_requests_from_web_hooks_and_services';
  assert.equal((await root.get(path)).body[key], true);
  assert.equal((await root.put(path, { [key]: false })).body[key], false);
});
