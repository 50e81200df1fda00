import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyPassword } from '#security/passwords.ts';
import { browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const here = await world({ env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1' } });
const { root, anonymous, clock } = here;

const TOO_MANY = { message: { error: 'This endpoint has been requested too many times. Try again later.' } };

/** The password grant from an address, with a password that is wrong unless another is said. */
const grant = (address: string, username: string, password = 'wrong') =>
  anonymous.send('POST', '//oauth/token', {
    params: { grant_type: 'password', username, password },
    headers: { 'X-Forwarded-For': address },
  });

/** So many names that do not exist are tried from there, by both ways in. */
async function fail(address: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) assert.equal((await grant(address, `nobody-${i}`)).status, 400, `${i}`);
}

const limitTo = async (failed_sign_in_limit: number) =>
  assert.equal((await root.put('/application/settings', { failed_sign_in_limit })).status, 200);

test('allows fifty failures in ten minutes by default', async () => {
  assert.equal((await root.get('/application/settings')).body.failed_sign_in_limit, 50);
});

test('blocks sign-in from an address after the limit of failures, but not from others', async () => {
  await limitTo(3);
  const mira = await userWithPassword(here);
  await fail('192.0.2.1', 3);
  const refused = await grant('192.0.2.1', mira.username, PASSWORD);
  assert.deepEqual([refused.status, refused.body, refused.headers['retry-after']], [429, TOO_MANY, '600']);
  assert.equal((await grant('192.0.2.2', mira.username, PASSWORD)).status, 200);
  clock.advance(600);
  assert.equal((await grant('192.0.2.1', mira.username, PASSWORD)).status, 200);
});

test('counts the form and the password grant together, and returns 429 on the form', async () => {
  await limitTo(2);
  const mira = await userWithPassword(here);
  const visit = browser(here);
  assert.equal((await visit.signIn(mira.username, 'wrong')).status, 422);
  assert.equal((await grant('127.0.0.1', mira.username)).status, 400);
  const refused = await visit.signIn(mira.username, PASSWORD);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '600']);
  assert.match(refused.text, /Too many sign-ins from your network have failed/);
  assert.equal((await visit.send('GET', '/user')).status, 401);
});

test('does not count successful sign-ins', async () => {
  await limitTo(2);
  const mira = await userWithPassword(here);
  for (let i = 0; i < 4; i++) assert.equal((await grant('192.0.2.3', mira.username, PASSWORD)).status, 200);
});

test('counts an IPv6 network as one address, and an IPv4-mapped address as IPv4', async () => {
  await limitTo(2);
  await fail('2001:db8::1', 1);
  await fail('2001:db8:0:0:ffff::2', 1);
  assert.equal((await grant('2001:db8::3', 'nobody')).status, 429);
  assert.equal((await grant('2001:db8:0:1::3', 'nobody')).status, 400);
  await fail('192.0.2.4', 2);
  assert.equal((await grant('::ffff:192.0.2.4', 'nobody')).status, 429);
});

test('enforces the limit on concurrent attempts of a network without delaying others', async () => {
  await limitTo(3);
  const flood = Array.from({ length: 40 }, (_, each) => grant('192.0.2.8', `nobody-${each}`));
  await Promise.race(flood);
  assert.equal((await grant('192.0.2.9', 'nobody')).status, 400);
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  const tried = statuses.filter((status) => status === 400).length;
  assert.ok(tried >= 3 && tried <= 10, `${tried} of ${statuses}`);
  assert.ok(statuses.every((status) => [400, 429, 503].includes(status)));
});

test('disables the limit with 0', async () => {
  await limitTo(1);
  await fail('192.0.2.5', 1);
  assert.equal((await grant('192.0.2.5', 'nobody')).status, 429);
  await limitTo(0);
  await fail('192.0.2.5', 2);
});

test('returns 503 with Retry-After while too many passwords are being checked', async () => {
  await limitTo(50);
  let isOn = true;
  const lookOn = async (_: unknown, at: number) => {
    while (isOn) await verifyPassword(null, 'flood', { network: `${at}` });
  };
  const flood = Array.from({ length: 34 }, lookOn);
  const refused = await grant('192.0.2.6', 'nobody');
  isOn = false;
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5']);
  await Promise.all(flood);
  assert.equal((await grant('192.0.2.6', 'nobody')).status, 400);
});
