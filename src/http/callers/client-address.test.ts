import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type World, world } from '#test/support/world.ts';

// The client address behind reverse proxies (contract/conventions.md §11 `HEARTH_TRUSTED_PROXIES`).

const behind = await world({ env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, fd00::/8' } });
const open = await world();

/** Returns the address recorded for the use of a token. */
async function seen(here: World, forwarded: string | null): Promise<string> {
  const mira = await here.user();
  const headers: Record<string, string> = forwarded === null ? {} : { 'X-Forwarded-For': forwarded };
  await mira.get('/version', {}, headers);
  return (await mira.get('/personal_access_tokens/self', {}, headers)).body.last_used_ips[0];
}

test('ignores forwarding headers without trusted proxies', async () => {
  assert.equal(await seen(open, '203.0.113.5'), '127.0.0.1');
  assert.equal(await seen(open, null), '127.0.0.1');
});

test('uses the client address from one or several trusted proxies', async () => {
  assert.equal(await seen(behind, null), '127.0.0.1');
  assert.equal(await seen(behind, '203.0.113.5'), '203.0.113.5');
  assert.equal(await seen(behind, '203.0.113.5, 10.0.0.1 ,10.0.0.2'), '203.0.113.5');
  assert.equal(await seen(behind, '2001:DB8:0::5, fd00::1'), '2001:db8::5');
});

test('ignores forwarded addresses that the client sent itself', async () => {
  assert.equal(await seen(behind, '198.51.100.1, 203.0.113.5'), '203.0.113.5');
  assert.equal(await seen(behind, '10.0.0.9, 198.51.100.1, 203.0.113.5, 10.0.0.1'), '203.0.113.5');
});

test('uses the first address if all are in trusted networks', async () => {
  assert.equal(await seen(behind, '10.0.0.77'), '10.0.0.77');
  assert.equal(await seen(behind, '10.0.0.77, 10.0.0.1'), '10.0.0.77');
});

test('accepts addresses with ports, and IPv4 addresses mapped to IPv6', async () => {
  assert.equal(await seen(behind, '198.51.100.1, 203.0.113.5:4711'), '203.0.113.5');
  assert.equal(await seen(behind, '[2001:db8::5]:4711'), '2001:db8::5');
  assert.equal(await seen(behind, '::ffff:203.0.113.5'), '203.0.113.5');
});

test('ignores addresses before an invalid one in the forwarding header', async () => {
  for (const word of ['unknown', '_hidden', 'x:1', '203.0.113.5:x', '', '999.1.1.1']) {
    assert.equal(await seen(behind, `198.51.100.1, ${word}`), '127.0.0.1', word);
    assert.equal(await seen(behind, `198.51.100.1, ${word}, 10.0.0.1`), '10.0.0.1', word);
  }
});

test('counts clients behind one proxy separately', async () => {
  const on = { throttle_unauthenticated_api_enabled: true, throttle_unauthenticated_api_requests_per_period: 2 };
  await behind.root.put('/application/settings', on);
  const status = async (address: string) =>
    (await behind.anonymous.get('/projects', {}, { 'X-Forwarded-For': address })).status;
  const asked = ['203.0.113.1', '203.0.113.1', '203.0.113.1', '198.51.100.7, 203.0.113.1', '203.0.113.2'];
  const statuses: number[] = [];
  for (const address of asked) statuses.push(await status(address));
  assert.deepEqual(statuses, [200, 200, 429, 429, 200]);
  const version6: number[] = [];
  for (const end of ['0::1', '0::2', '0:ffff::3', '1::1']) version6.push(await status(`2001:db8:0:${end}`));
  assert.deepEqual(version6, [200, 200, 429, 200], 'a network of IPv6 is one client');
  await behind.root.put('/application/settings', { throttle_unauthenticated_api_enabled: false });
});

test('only a trusted proxy can declare that the client uses https', async () => {
  for (const [here, scheme] of [
    [behind, 'https'],
    [open, 'http'],
  ] as const) {
    const { body } = await here.root.get('/user', {}, { 'X-Forwarded-Proto': 'https', Host: 'code.test' });
    assert.equal(body.web_url, `${scheme}://code.test/root`);
  }
});
