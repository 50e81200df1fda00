import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Browser, browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import type { Caller } from '#test/support/caller.ts';
import { getMailHeader, getMailParts, startSmtpSink } from '#test/support/smtp-sink.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { lockAccount } from '../users/fixtures.testing.ts';

const sink = await startSmtpSink();
const here = await world({
  env: {
    HEARTH_MAIL_DELIVERY: 'smtp',
    HEARTH_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    HEARTH_MAIL_FROM: 'hearth@hearth.example',
    HEARTH_EXTERNAL_URL: 'http://hearth.example/base',
    HEARTH_TRUSTED_PROXIES: '127.0.0.1',
  },
});
const { root, clock, runJobs, server, logged, name } = here;
after(() => sink.stop());

const CHOSEN = 'amber-lantern-quarry-19';
const REQUESTED = /If there is an account with this address, a mail with a link is on its way/;

const mailsTo = ({ username }: Pick<Caller, 'username'>) =>
  sink.mails.filter(({ to }) => to === `${username}@hearth.test`);

/** Returns the tokens of the links in all mails to this user. */
const tokensOf = (who: Pick<Caller, 'username'>): string[] =>
  mailsTo(who).map((mail) => {
    const [, token] = /\/base\/users\/password\/edit\?reset_password_token=([0-9a-f]{64})\b/.exec(
      getMailParts(mail).text,
    )!;
    return token!;
  });

/** Requests a link as a browser does, from an address of its own. */
async function requestLink(email: string, clientAddress = '192.0.2.1') {
  const visit = browser(here);
  const headers = { 'X-Forwarded-For': clientAddress };
  await visit.get('//users/password/new', headers);
  return visit.send('POST', '//users/password', {
    raw: new URLSearchParams({ authenticity_token: visit.csrfToken(), 'user[email]': email }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

async function setPassword(visit: Browser, token: string, password: string, confirmation = password) {
  await visit.get(`//users/password/edit?reset_password_token=${token}`);
  return visit.submit('//users/password', {
    _method: 'put',
    'user[reset_password_token]': token,
    'user[password]': password,
    'user[password_confirmation]': confirmation,
  });
}

/** Requests a link for this user and returns its token. */
async function newToken(who: Caller): Promise<string> {
  await requestLink(`${who.username}@hearth.test`);
  await runJobs();
  clock.advance(3_600);
  return tokensOf(who).at(-1)!;
}

test('a user with a forgotten password follows the link of a mail and signs in with a new one', async () => {
  const mira = await userWithPassword(here);
  const session = await signedInBrowser(here, mira);
  const visit = browser(here);
  const signInPage = await visit.get('//users/sign_in');
  assert.match(signInPage.text, /href="\/base\/users\/password\/new"/);
  const requested = await requestLink(`${mira.username}@HEARTH.test`);
  assert.equal(requested.status, 200);
  assert.match(requested.text, REQUESTED);
  await runJobs();
  const [mail, ...others] = mailsTo(mira);
  assert.deepEqual(others, []);
  assert.equal(getMailHeader(mail!, 'Subject'), 'A new password for hearth.example');
  assert.match(getMailParts(mail!).text, /It works once, for 48 hours/);
  const [token] = tokensOf(mira);
  const form = await visit.get(`//users/password/edit?reset_password_token=${token}`);
  assert.equal(form.status, 200);
  assert.match(form.text, new RegExp(`name="user\\[reset_password_token\\]" value="${token}"`));
  assert.match((await setPassword(visit, token!, CHOSEN)).text, /Your password is set/);
  assert.equal((await session.send('GET', '/user')).status, 401, 'the sessions of the old password are over');
  assert.equal((await browser(here).signIn(mira.username, PASSWORD)).status, 422);
  assert.equal((await browser(here).signIn(mira.username, CHOSEN)).status, 302);
  assert.equal((await mira.get('/user')).status, 200, 'tokens go on');
});

test('a link works once, and not after two days, a newer link, or a change of password or address', async () => {
  const cases: Readonly<Record<string, (mira: Caller, token: string) => Promise<unknown>>> = {
    used: (_mira, token) => setPassword(browser(here), token, CHOSEN),
    expired: async () => clock.advance(2 * 86_400),
    'newer link': (mira) => newToken(mira),
    'changed password': (mira) => root.put(`/users/${mira.id}`, { password: 'set-by-the-administrator-7' }),
    'changed address': (mira) =>
      root.put(`/users/${mira.id}`, { email: `${name('moved')}@hearth.test`, skip_reconfirmation: true }),
    blocked: (mira) => root.post(`/users/${mira.id}/block`),
  };
  for (const [reason, end] of Object.entries(cases)) {
    const mira = await userWithPassword(here);
    const token = await newToken(mira);
    await end(mira, token);
    const page = await browser(here).get(`//users/password/edit?reset_password_token=${token}`);
    assert.deepEqual([page.status, /not valid any more/.test(page.text)], [422, true], reason);
    const visit = browser(here);
    await visit.get('//users/sign_in');
    const form = { 'user[reset_password_token]': token, 'user[password]': 'another-lantern-quarry-20' };
    const { status, text } = await visit.submit('//users/password', { _method: 'put', ...form });
    assert.deepEqual([status, /not valid any more/.test(text)], [422, true], reason);
  }
});

test('of concurrent requests with one link, one sets the password', async () => {
  const mira = await userWithPassword(here);
  const token = await newToken(mira);
  const attempts = ['amber-lantern-quarry-19', 'amber-lantern-quarry-20'];
  const answers = await Promise.all(attempts.map((password) => setPassword(browser(here), token, password)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
});

test('keeps the link after a password that is not allowed', async () => {
  const mira = await userWithPassword(here);
  const token = await newToken(mira);
  const attempts: readonly [string, string, RegExp][] = [
    ['short', 'short', /Your new password is too short \(minimum is 8 characters\)\./],
    [CHOSEN, `${CHOSEN}x`, /The two passwords differ\./],
    [`${mira.username}-1`, `${mira.username}-1`, /must not contain commonly used/],
  ];
  for (const [password, confirmation, reason] of attempts) {
    const { status, text } = await setPassword(browser(here), token, password, confirmation);
    assert.equal(status, 422, password);
    assert.match(text, reason);
    assert.match(text, /name="user\[password\]"/);
  }
  assert.equal((await setPassword(browser(here), token, CHOSEN)).status, 200);
});

test('ends the lock of the account, and records both in the audit events', async () => {
  const mira = await userWithPassword(here);
  const token = await newToken(mira);
  await lockAccount(server, mira.id);
  await setPassword(browser(here), token, CHOSEN);
  assert.equal((await browser(here).signIn(mira.username, CHOSEN)).status, 302);
  const { body } = await root.get('/audit_events', { entity_type: 'User', entity_id: mira.id });
  const events = (body as { event_name: string; author_id: number }[]).map((row) => [row.event_name, row.author_id]);
  assert.deepEqual(events, [
    ['user_access_unlocked', mira.id],
    ['user_password_updated', mira.id],
  ]);
});

test('sets a password with PUT, and rejects forms without a CSRF token', async () => {
  const mira = await userWithPassword(here);
  const token = await newToken(mira);
  const visit = browser(here);
  await visit.get(`//users/password/edit?reset_password_token=${token}`);
  const fields = { 'user[reset_password_token]': token, 'user[password]': CHOSEN };
  const put = (more: Readonly<Record<string, string>>) =>
    visit.send('PUT', '//users/password', {
      raw: new URLSearchParams({ ...fields, ...more }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  const csrfToken = visit.csrfToken();
  assert.equal((await put({})).status, 422);
  assert.equal((await put({ authenticity_token: 'wrong' })).status, 422);
  assert.equal((await put({ authenticity_token: csrfToken })).status, 200);
  assert.equal((await browser(here).signIn(mira.username, CHOSEN)).status, 302);
});

test('answers a request alike whether or not there is an account, and sends mails only to users who can sign in', async () => {
  const [mira, blocked, bot] = [
    await userWithPassword(here),
    await userWithPassword(here),
    await userWithPassword(here),
  ];
  await root.post(`/users/${blocked.id}/block`);
  await server.services.database.transaction((tx) =>
    tx.updateTable('users').set({ bot: true }).where('id', '=', bot.id).execute(),
  );
  const before = sink.mails.length;
  const withoutToken = (text: string) => text.replace(/[\w-]{43}/g, 'TOKEN');
  const pages: string[] = [];
  for (const email of [mira, blocked, bot].map(({ username }) => `${username}@hearth.test`)) {
    const { status, text } = await requestLink(email, '192.0.2.10');
    pages.push(`${status} ${withoutToken(text)}`);
  }
  for (const email of [
    'nobody@hearth.test',
    'ghost@internal.invalid',
    mira.username,
    '',
    `${'x'.repeat(300)}@x.test`,
  ]) {
    const { status, text } = await requestLink(email, '192.0.2.11');
    pages.push(`${status} ${withoutToken(text)}`);
  }
  assert.equal(new Set(pages).size, 1);
  await runJobs();
  assert.deepEqual([sink.mails.length - before, mailsTo(mira).length], [1, 1]);
});

test('sends at most three mails an hour to an address, and answers 429 to a network after ten requests', async () => {
  const mira = await userWithPassword(here);
  const email = `${mira.username}@hearth.test`;
  for (let attempt = 1; attempt <= 10; attempt++) {
    assert.match((await requestLink(email, '198.51.100.7')).text, REQUESTED);
    await runJobs();
  }
  assert.equal(mailsTo(mira).length, 3);
  const refused = await requestLink(email, '198.51.100.7');
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '600']);
  assert.match(refused.text, /Too many links were requested from your network/);
  assert.equal((await requestLink(email, '198.51.100.8')).status, 200);
  clock.advance(3_600);
  await requestLink(email, '198.51.100.7');
  await runJobs();
  assert.equal(mailsTo(mira).length, 4);
});

test('stores only the digest of a token, and no log line has it', async () => {
  const mira = await userWithPassword(here);
  const token = await newToken(mira);
  await setPassword(browser(here), `${token}x`, CHOSEN);
  const { reader } = server.services.database;
  const row = await reader.selectFrom('users').selectAll().where('id', '=', mira.id).executeTakeFirstOrThrow();
  const jobs = await reader.selectFrom('background_jobs').selectAll().execute();
  assert.match(row.password_link_digest!, /^[0-9a-f]{64}$/);
  assert.ok(!JSON.stringify([row, jobs]).includes(token));
  await browser(here).get(`//users/password/edit?reset_password_token=${token}`);
  assert.ok(!logged().includes(token));
});

test('a link for a new account lets its user choose the first password', async () => {
  const username = name('newcomer');
  const input = { username, name: 'Mira <b>', email: `${username}@hearth.test`, reset_password: true, password: 'x' };
  const { body } = await expectSuccess(root.post('/users', input));
  assert.equal(body.confirmed_at, null);
  await runJobs();
  const [mail] = mailsTo({ username });
  assert.equal(getMailHeader(mail!, 'Subject'), 'Your account on hearth.example');
  const { text, html } = getMailParts(mail!);
  assert.ok(text.includes(`An administrator created the account ${username}`) && html.includes('Mira &#60;b&#62;'));
  const [token] = tokensOf({ username });
  assert.equal((await setPassword(browser(here), token!, CHOSEN)).status, 200);
  assert.equal((await browser(here).signIn(username, CHOSEN)).status, 302);
});

test('a rejected creation sends no mail', async () => {
  const before = sink.mails.length;
  const username = name('rejected');
  const input = { username, name: 'x'.repeat(300), email: `${username}@hearth.test`, reset_password: true };
  assert.equal((await root.post('/users', input)).status, 400);
  await runJobs();
  assert.equal(sink.mails.length, before);
});

test('retries while the mail server is down, and warns of an address that it rejects', async () => {
  const mira = await userWithPassword(here);
  await sink.stop();
  await requestLink(`${mira.username}@hearth.test`, '203.0.113.1');
  await runJobs();
  await sink.start();
  clock.advance(3_600);
  await runJobs();
  assert.equal(tokensOf(mira).length, 1);
  sink.behaviour.recipient = () => '550 no such mailbox';
  await requestLink(`${mira.username}@hearth.test`, '203.0.113.1');
  await runJobs();
  delete sink.behaviour.recipient;
  assert.match(logged(), new RegExp(`"username":"${mira.username}".*The mail server rejects the mail with a link`));
});

test('refuses links and passwords while signing in with a password is switched off', async () => {
  const mira = await userWithPassword(here);
  const token = await newToken(mira);
  await root.put('/application/settings', { password_authentication_enabled_for_web: false });
  try {
    const refused = await requestLink(`${mira.username}@hearth.test`);
    assert.deepEqual([refused.status, /switched off/.test(refused.text)], [422, true]);
    const page = await browser(here).get(`//users/password/edit?reset_password_token=${token}`);
    assert.deepEqual([page.status, /switched off/.test(page.text)], [422, true]);
  } finally {
    await root.put('/application/settings', { password_authentication_enabled_for_web: true });
  }
});

test('without mail delivery there is no link, and reset_password is refused', async () => {
  for (const env of [{}, { HEARTH_MAIL_DELIVERY: 'outbox' }]) {
    const silent = await world({ env });
    const visit = browser(silent);
    assert.doesNotMatch((await visit.get('//users/sign_in')).text, /users\/password/);
    assert.match((await visit.get('//users/password/new')).text, /This server sends no mails\. Ask an administrator/);
    assert.equal((await visit.submit('//users/password', { 'user[email]': 'root@hearth.test' })).status, 422);
    const username = silent.name('person');
    const input = { username, name: 'Mira', email: `${username}@hearth.test`, reset_password: true };
    const { status, body } = await silent.root.post('/users', input);
    const text =
      'reset_password needs mail delivery (HEARTH_MAIL_DELIVERY=smtp); without it, send password or force_random_password';
    assert.deepEqual([status, body], [400, { message: { base: [text] } }]);
    assert.deepEqual((await silent.root.get('/users', { username })).body, []);
  }
});
