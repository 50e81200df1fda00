import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword } from '#security/passwords.ts';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { root, clock } = here;

test('creates a new session on sign-in and ends the old one', async () => {
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

test('accepts usernames and addresses in any case', async () => {
  const mira = await userWithPassword(here);
  for (const login of [mira.username.toUpperCase(), `${mira.username}@HEARTH.test`]) {
    assert.equal((await browser(here).signIn(login, PASSWORD)).status, 302, login);
  }
});

test('accepts a secondary address once it is confirmed', async () => {
  const mira = await userWithPassword(here);
  const email = `second-${mira.username}@hearth.test`;
  const path = `/users/${mira.id}/emails`;
  const { body } = await root.post(path, { email });
  assert.equal((await browser(here).signIn(email, PASSWORD)).status, 422);
  await root.delete(`${path}/${body.id}`);
  await root.post(path, { email, skip_confirmation: true });
  assert.equal((await browser(here).signIn(email.toUpperCase(), PASSWORD)).status, 302);
});

test('creates two sessions for two concurrent sign-ins from one form', async () => {
  // A password that takes as long as everybody's: both are under way.
  const mira = await here.user({ passwordHash: await hashPassword(PASSWORD) });
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

test('records time and address of the current and the previous sign-in', async () => {
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

test('activates a deactivated user on sign-in, also from a browser with an old session', async () => {
  const mira = await userWithPassword(here);
  const old = await signedInBrowser(here, mira);
  const { database } = here.server.services;
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
