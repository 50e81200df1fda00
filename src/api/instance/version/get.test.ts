import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

for (const [tier, version, enterprise] of [
  ['ultimate', '18.9.0-ee', true],
  ['premium', '18.9.0-ee', true],
  ['free', '18.9.0', false],
] as const) {
  test(`returns version ${version} to signed-in callers on tier ${tier}`, async () => {
    const { root, anonymous, user, tokenOf } = await world({ env: { HEARTH_TIER: tier } });
    for (const path of ['/version', '/metadata']) {
      const { body } = await root.get(path);
      assert.deepEqual([body.version, body.enterprise], [version, enterprise]);
      assert.match(body.revision, /^[0-9a-f]{11}$/);
      assert.equal((await anonymous.get(path)).status, 401);
      const other = await tokenOf(await user(), ['read_repository']);
      assert.equal((await other.get(path)).body.scope, 'read_user api read_api');
    }
  });
}
