import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { root } = here;

test('sets an anonymous session and security headers on the form, and contains no secret', async () => {
  const visit = browser(here);
  const { status, headers, text } = await visit.get('//users/sign_in');
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^text\/html/);
  assert.match(String(headers['set-cookie']), /^_service_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(text, /name="user\[login\]"[\s\S]*name="user\[password\]"/);
  assert.ok(text.includes(`name="authenticity_token" value="${visit.csrfToken()}"`));
  assert.ok(!text.includes(visit.cookie() ?? ''), 'the page does not show the cookie');
  const again = await visit.get('//users/sign_in');
  assert.equal(again.headers['set-cookie'], undefined, 'the session stays');
});

test('returns 422 for a form without a valid CSRF token and signs nobody in', async () => {
  const mira = await userWithPassword(here);
  const form = { 'user[login]': mira.username, 'user[password]': PASSWORD };
  const stranger = browser(here);
  await stranger.get('//users/sign_in');
  for (const authenticity_token of ['', 'wrong', stranger.csrfToken()]) {
    const visit = browser(here);
    await visit.get('//users/sign_in');
    const answer = await visit.submit('//users/sign_in', { ...form, authenticity_token });
    assert.equal(answer.status, 422);
    assert.match(answer.headers['content-type'] ?? '', /^text\/html/);
    assert.equal((await visit.get('//')).status, 302);
  }
  assert.equal((await browser(here).submit('//users/sign_in', form)).status, 422, 'without any session');
  const { body } = await root.get(`/users/${mira.id}`);
  assert.equal(body.sign_in_count, 0);
});

test('rejects sign-in and sign-out from another site', async () => {
  const mira = await userWithPassword(here);
  const visit = browser(here);
  await visit.get('//users/sign_in');
  const raw = new URLSearchParams({
    authenticity_token: visit.csrfToken(),
    'user[login]': mira.username,
    'user[password]': PASSWORD,
  }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://evil.test' };
  assert.equal((await visit.send('POST', '//users/sign_in', { raw, headers })).status, 422);
  const inside = await signedInBrowser(here, mira);
  const cookie = inside.cookie();
  await inside.send('POST', '//users/sign_out', { headers: { Origin: 'https://evil.test' } });
  assert.equal((await browser(here, cookie).get('//')).status, 200);
});

test('escapes all values in pages', async () => {
  const evil = '"><script>alert(1)</script>';
  const { text } = await browser(here).signIn(evil, 'x');
  assert.ok(!text.includes('<script'));
  assert.ok(text.includes('&#60;script&#62;'));
  const mira = await userWithPassword(here);
  await root.put(`/users/${mira.id}`, { name: '<img src=x>' });
  const home = await (await signedInBrowser(here, mira)).get('//');
  assert.ok(home.text.includes('&#60;img src=x&#62;'));
});

test('redirects only to paths of this server after sign-in', async () => {
  const mira = await userWithPassword(here);
  const visit = browser(here);
  const evil = encodeURIComponent('https://evil.test/');
  const query = ['return_to', 'redirect', 'next', 'user_return_to'].map((name) => `${name}=${evil}`).join('&');
  await visit.get(`//users/sign_in?${query}`, { Referer: 'https://evil.test/' });
  const form = { 'user[login]': mira.username, 'user[password]': PASSWORD, return_to: 'https://evil.test/' };
  const answer = await visit.submit(`//users/sign_in?${query}`, form);
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.location, '/');
});

test('ignores API credentials on pages', async () => {
  assert.equal((await root.send('GET', '//')).status, 302);
  assert.equal((await root.send('GET', '//users/sign_in', { headers: { 'PRIVATE-TOKEN': 'wrong' } })).status, 200);
});
