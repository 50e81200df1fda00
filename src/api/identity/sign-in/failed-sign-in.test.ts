import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countScryptRuns } from '#security/passwords.ts';
import { browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { root, clock } = here;

const set = (id: number, change: object) =>
  here.server.services.database.transaction((tx) => tx.updateTable('users').set(change).where('id', '=', id).execute());

/** These sign nobody in, in the same words whatever is wrong, and leave the cookie anonymous. */
async function assertRefused(attempts: readonly (readonly [login: string, password: string])[]): Promise<void> {
  for (const [login, password] of attempts) {
    const visit = browser(here);
    const answer = await visit.signIn(login, password);
    assert.equal(answer.status, 422, login);
    assert.match(answer.text, /Invalid login or password\./, login);
    assert.equal(answer.headers['set-cookie'], undefined, login);
    assert.equal((await visit.send('GET', '/user')).status, 401, login);
  }
}

test('answers alike for a wrong password and an unknown user', async () => {
  const mira = await userWithPassword(here);
  await assertRefused([
    [mira.username, 'wrong'],
    ['nobody-at-all', PASSWORD],
    ['nobody@hearth.test', PASSWORD],
    ['', ''],
  ]);
});

test('answers for a blocked user as for a wrong password', async () => {
  const bot = await userWithPassword(here);
  const blocked = await userWithPassword(here);
  const banned = await userWithPassword(here);
  const pending = await userWithPassword(here);
  await set(bot.id, { bot: true });
  await set(pending.id, { state: 'blocked_pending_approval' });
  await root.post(`/users/${blocked.id}/block`);
  await root.post(`/users/${banned.id}/ban`);
  await assertRefused([
    [bot.username, PASSWORD],
    [blocked.username, PASSWORD],
    [banned.username, PASSWORD],
    [pending.username, PASSWORD],
    ['ghost', ''],
    ['alert-bot', PASSWORD],
  ]);
});

test('runs scrypt for unknown logins too', async () => {
  const mira = await userWithPassword(here);
  const runsOf = async (login: string, password: string) => {
    const before = countScryptRuns();
    await browser(here).signIn(login, password);
    return countScryptRuns() - before;
  };
  assert.equal(await runsOf(mira.username, PASSWORD), 1);
  assert.equal(await runsOf(mira.username, 'wrong'), 1);
  assert.equal(await runsOf('nobody-at-all', 'wrong'), 1);
  assert.equal(await runsOf('nobody@hearth.test', 'wrong'), 1);
  assert.equal(await runsOf('ghost', 'wrong'), 1);
});

test('locks the account for ten minutes after ten consecutive failures', async () => {
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

test('records who is locked in the audit events, with the address of the client', async () => {
  const mira = await userWithPassword(here);
  const other = await userWithPassword(here);
  for (let failure = 1; failure <= 11; failure++) await browser(here).signIn(mira.username, 'wrong');
  for (let failure = 1; failure <= 9; failure++) await browser(here).signIn(other.username, 'wrong');
  const grant = { grant_type: 'password', username: other.username, password: 'wrong' };
  await here.anonymous.send('POST', '//oauth/token', { params: grant });
  for (const { id, username } of [mira, other]) {
    const { body } = await root.get('/audit_events', { entity_type: 'User', entity_id: id });
    const locks = (body as { event_name: string }[]).filter(({ event_name }) => event_name === 'user_access_locked');
    assert.equal(locks.length, 1);
    const { author_id, details } = locks[0] as unknown as { author_id: number; details: Record<string, unknown> };
    const { target_type, target_details, custom_message, ip_address, author_name } = details;
    assert.equal(author_id, -1);
    assert.deepEqual(
      [target_type, target_details, custom_message, ip_address, author_name],
      ['User', username, 'User access locked', '127.0.0.1', 'An unauthenticated user'],
    );
  }
});

test('counts concurrent failures', async () => {
  const mira = await userWithPassword(here);
  await Promise.all(Array.from({ length: 10 }, () => browser(here).signIn(mira.username, 'wrong')));
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, true);
});

test('rejects all passwords while password sign-in is disabled', async () => {
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
