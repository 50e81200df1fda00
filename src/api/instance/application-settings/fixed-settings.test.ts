import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const path = '/application/settings';

test('shows settings with one value, accepts this value and rejects others', async () => {
  const { root } = await world();
  const before = (await root.get(path)).body;
  const values = {
    require_two_factor_authentication: false,
    two_factor_grace_period: 48,
    email_confirmation_setting: 'off',
    domain_allowlist: [],
    dns_rebinding_protection_enabled: true,
  };
  for (const [name, value] of Object.entries(values)) assert.deepEqual(before[name], value, name);
  const { status, body } = await root.put(path, values);
  assert.deepEqual([status, body], [200, before]);
  for (const [name, value] of Object.entries({
    require_two_factor_authentication: true,
    two_factor_grace_period: 8,
    email_confirmation_setting: 'hard',
    domain_allowlist: ['example.com'],
    dns_rebinding_protection_enabled: false,
  })) {
    const rejected = await root.put(path, { [name]: value });
    assert.deepEqual([rejected.status, rejected.body], [400, { message: { [name]: ['is not supported'] } }]);
  }
  assert.deepEqual((await root.get(path)).body, before);
});
