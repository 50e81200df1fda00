import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('version and metadata tell signed-in callers the level of the API', async () => {
  const { root, anonymous, user, tokenOf } = await world();
  for (const path of ['/version', '/metadata']) {
    const { body } = await root.get(path);
    assert.equal(body.version, '18.9.0');
    assert.match(body.revision, /^[0-9a-f]{11}$/);
    assert.equal(body.enterprise, true);
    assert.equal((await anonymous.get(path)).status, 401);
    const other = await tokenOf(await user(), ['read_repository']);
    assert.equal((await other.get(path)).body.scope, 'read_user api read_api');
  }
});
