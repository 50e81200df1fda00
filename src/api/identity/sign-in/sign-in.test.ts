import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from '../../../../test/browser.ts';
import { world } from '../../../../test/world.ts';
import { scryptRuns } from '../../../secrets/passwords.ts';

const here = await world();
const { root, anonymous, clock } = here;

test('the form sets a session of nobody, protects its page and shows no secret', async () => {
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

test('sign-in gives a new session, home, and a form to leave; the old session is over', async () => {
  const mira = await userWithPassword(here);
  const visit = browser(here);
  await visit.get('//users/sign_in');
  const [before, tokenBefore] = [visit.cookie(), visit.csrfToken()];
  const answer = await visit.submit('//users/sign_in', { 'user[login]': mira.username, 'user[password]': PASSWORD });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.location, '/');
  assert.notEqual(visit.cookie(), before);
  const home = await visit.get('//');
  assert.equal(home.status, 200);
  assert.match(home.text, new RegExp(`@${mira.username}<`));
  assert.notEqual(visit.csrfToken(), tokenBefore, 'T changes at sign-in');
  assert.equal((await visit.get('//users/sign_in')).headers.location, '/', 'signed in already');
  const planted = await browser(here, before).get('//');
  assert.equal(planted.headers.location, '/users/sign_in', 'whoever knows the old cookie has nothing');
  const replay = browser(here, before);
  const form = { 'user[login]': mira.username, 'user[password]': PASSWORD, authenticity_token: tokenBefore };
  assert.equal((await replay.submit('//users/sign_in', form)).status, 422);
});

test('names and addresses sign in whatever their case', async () => {
  const mira = await userWithPassword(here);
  for (const login of [mira.username.toUpperCase(), `${mira.username}@HEARTH.test`]) {
    assert.equal((await browser(here).signIn(login, PASSWORD)).status, 302, login);
  }
});

test('a secondary address signs in once it is confirmed', async () => {
  const mira = await userWithPassword(here);
  const email = `second-${mira.username}@hearth.test`;
  const path = `/users/${mira.id}/emails`;
  const { body } = await root.post(path, { email });
  assert.equal((await browser(here).signIn(email, PASSWORD)).status, 422);
  await root.delete(`${path}/${body.id}`);
  await root.post(path, { email, skip_confirmation: true });
  assert.equal((await browser(here).signIn(email.toUpperCase(), PASSWORD)).status, 302);
});

const set = (id: number, change: object) =>
  here.server.rooms.database.transaction((tx) => tx.updateTable('users').set(change).where('id', '=', id).execute());

test('whatever is wrong, the answer is the same and the cookie stays anonymous', async () => {
  const mira = await userWithPassword(here);
  const bot = await userWithPassword(here);
  const blocked = await userWithPassword(here);
  const banned = await userWithPassword(here);
  const pending = await userWithPassword(here);
  await set(bot.id, { bot: true });
  await set(pending.id, { state: 'blocked_pending_approval' });
  await root.post(`/users/${blocked.id}/block`);
  await root.post(`/users/${banned.id}/ban`);
  const attempts: readonly [string, string][] = [
    [mira.username, 'wrong'],
    ['nobody-at-all', PASSWORD],
    ['nobody@hearth.test', PASSWORD],
    [bot.username, PASSWORD],
    [blocked.username, PASSWORD],
    [banned.username, PASSWORD],
    [pending.username, PASSWORD],
    ['ghost', ''],
    ['alert-bot', PASSWORD],
    ['', ''],
  ];
  for (const [login, password] of attempts) {
    const visit = browser(here);
    const answer = await visit.signIn(login, password);
    assert.equal(answer.status, 422, login);
    assert.match(answer.text, /Invalid login or password\./, login);
    assert.equal(answer.headers['set-cookie'], undefined, login);
    assert.equal((await visit.send('GET', '/user')).status, 401, login);
  }
});

test('an unknown login costs as much scrypt as a known one', async () => {
  const mira = await userWithPassword(here);
  const runsOf = async (login: string, password: string) => {
    const before = scryptRuns();
    await browser(here).signIn(login, password);
    return scryptRuns() - before;
  };
  assert.equal(await runsOf(mira.username, PASSWORD), 1);
  assert.equal(await runsOf(mira.username, 'wrong'), 1);
  assert.equal(await runsOf('nobody-at-all', 'wrong'), 1);
  assert.equal(await runsOf('nobody@hearth.test', 'wrong'), 1);
  assert.equal(await runsOf('ghost', 'wrong'), 1);
});

test('a form without its token, or with another session’s, is 422 and signs nobody in', async () => {
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

test('a foreign page can neither sign in nor sign out', async () => {
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

test('what a form or a page says cannot become HTML', async () => {
  const evil = '"><script>alert(1)</script>';
  const { text } = await browser(here).signIn(evil, 'x');
  assert.ok(!text.includes('<script'));
  assert.ok(text.includes('&#60;script&#62;'));
  const mira = await userWithPassword(here);
  await root.put(`/users/${mira.id}`, { name: '<img src=x>' });
  const home = await (await signedInBrowser(here, mira)).get('//');
  assert.ok(home.text.includes('&#60;img src=x&#62;'));
});

test('ten failures in a row lock the account for ten minutes', async () => {
  const mira = await userWithPassword(here);
  const fail = () => browser(here).signIn(mira.username, 'wrong');
  for (let failure = 1; failure <= 9; failure++) await fail();
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, false);
  await fail();
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, true);
  const refused = await browser(here).signIn(mira.username, PASSWORD);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Invalid login or password\./);
  assert.equal((await mira.get('/user')).status, 200, 'tokens go on');
  clock.advance(599);
  await fail();
  assert.equal((await browser(here).signIn(mira.username, PASSWORD)).status, 422);
  clock.advance(1);
  await fail();
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, false, 'a new row has begun');
  assert.equal((await browser(here).signIn(mira.username, PASSWORD)).status, 302);
  for (let failure = 1; failure <= 9; failure++) await fail();
  assert.equal(
    (await root.get(`/users/${mira.id}`)).body.locked,
    false,
    'success has forgotten the failures before it',
  );
});

test('failures at once are all counted', async () => {
  const mira = await userWithPassword(here);
  await Promise.all(Array.from({ length: 10 }, () => browser(here).signIn(mira.username, 'wrong')));
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, true);
});

test('two sign-ins at once give two sessions, even from one form', async () => {
  const mira = await userWithPassword(here);
  const visit = browser(here);
  await visit.get('//users/sign_in');
  const tabs = [1, 2].map(() => browser(here, visit.cookie()));
  const form = {
    'user[login]': mira.username,
    'user[password]': PASSWORD,
    authenticity_token: visit.csrfToken(),
  };
  const answers = await Promise.all(tabs.map((tab) => tab.submit('//users/sign_in', form)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [302, 302],
  );
  const cookies = tabs.map((tab) => tab.cookie());
  assert.notEqual(cookies[0], cookies[1]);
  for (const tab of tabs) assert.equal((await tab.send('GET', '/user')).body.id, mira.id);
  assert.equal((await root.get(`/users/${mira.id}`)).body.sign_in_count, 2);
});

test('a sign-in is remembered with its time and address, and the one before it', async () => {
  const mira = await userWithPassword(here);
  await browser(here).signIn(mira.username, PASSWORD);
  const first = (await root.get(`/users/${mira.id}`)).body;
  assert.equal(first.sign_in_count, 1);
  assert.equal(first.last_sign_in_at, first.current_sign_in_at);
  assert.equal(first.current_sign_in_ip, '127.0.0.1');
  assert.equal(first.last_activity_on, first.current_sign_in_at.slice(0, 10));
  clock.advance(60);
  await browser(here).signIn(mira.username, PASSWORD);
  const second = (await root.get(`/users/${mira.id}`)).body;
  assert.equal(second.sign_in_count, 2);
  assert.equal(second.last_sign_in_at, first.current_sign_in_at);
  assert.ok(second.current_sign_in_at > first.current_sign_in_at);
});

test('a deactivated user becomes active by signing in, from the browser that still has the old session too', async () => {
  const mira = await userWithPassword(here);
  const old = await signedInBrowser(here, mira);
  const { database } = here.server.rooms;
  await database.transaction((tx) =>
    tx.updateTable('users').set({ state: 'deactivated' }).where('id', '=', mira.id).execute(),
  );
  const refused = await old.send('GET', '/user');
  assert.equal(refused.status, 403);
  assert.match(
    refused.body.message,
    /^403 Forbidden - Your account has been deactivated .* reactivate your account at http/,
  );
  assert.equal((await old.get('//')).headers.location, '/users/sign_in');
  assert.equal((await old.signIn(mira.username, PASSWORD)).status, 302);
  assert.equal((await root.get(`/users/${mira.id}`)).body.state, 'active');
  assert.equal((await old.send('GET', '/user')).status, 200);
});

test('nobody signs in with a password while that is switched off', async () => {
  const mira = await userWithPassword(here);
  await root.put('/application/settings', { password_authentication_enabled_for_web: false });
  try {
    const visit = browser(here);
    const answer = await visit.signIn(mira.username, PASSWORD);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /switched off/);
    assert.equal((await visit.get('//')).status, 302);
  } finally {
    await root.put('/application/settings', { password_authentication_enabled_for_web: true });
  }
});

test('sign-out ends the session, by POST and DELETE, signed in or not', async () => {
  const mira = await userWithPassword(here);
  for (const method of ['POST', 'DELETE']) {
    const visit = await signedInBrowser(here, mira);
    const cookie = visit.cookie();
    assert.equal((await visit.send('GET', '/user')).status, 200);
    const answer = await visit.send(method, '//users/sign_out');
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.location, '/users/sign_in');
    assert.equal(visit.cookie(), null, 'the browser forgets it');
    assert.equal((await browser(here, cookie).send('GET', '/user')).status, 401);
    assert.equal((await browser(here, cookie).get('//')).headers.location, '/users/sign_in');
    assert.equal((await anonymous.send(method, '//users/sign_out')).status, 302);
  }
});

test('no parameter leads a sign-in anywhere else', async () => {
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

test('API credentials count for nothing on pages', async () => {
  assert.equal((await root.send('GET', '//')).status, 302);
  assert.equal((await root.send('GET', '//users/sign_in', { headers: { 'PRIVATE-TOKEN': 'wrong' } })).status, 200);
});
