import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Browser, browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import type { Caller } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { root } = here;
const SET = 'set-by-the-administrator-7';
const CHOSEN = 'amber-lantern-quarry-19';

async function userWithExpiredPassword(): Promise<Caller> {
  const mira = await userWithPassword(here);
  assert.equal((await root.put(`/users/${mira.id}`, { password: SET })).status, 200);
  return mira;
}

const renew = (visit: Browser, { username }: Caller, password: string, chosen: string) =>
  visit.submit('//users/sign_in', {
    'user[login]': username,
    'user[password]': password,
    'user[new_password]': chosen,
  });

test('lets a user with an expired password choose a new one and use the API again', async () => {
  const mira = await userWithExpiredPassword();
  assert.match((await mira.get('/user')).body.message, /Your password expired/);
  const visit = browser(here);
  assert.equal((await visit.signIn(mira.username, SET)).status, 302);
  const before = visit.cookie();
  const home = await visit.get('//');
  assert.match(home.text, /name="user\[new_password\]"/);
  assert.equal((await visit.send('GET', '/user')).status, 403);
  assert.equal((await renew(visit, mira, SET, CHOSEN)).headers.location, '/');
  assert.notEqual(visit.cookie(), before);
  assert.equal((await visit.send('GET', '/user')).body.id, mira.id);
  assert.equal((await mira.get('/user')).status, 200);
  assert.doesNotMatch((await visit.get('//')).text, /new_password/);
  assert.equal(
    (await browser(here, before).send('GET', '/user')).status,
    401,
    'the session of the old password is over',
  );
  assert.equal((await browser(here).signIn(mira.username, SET)).status, 422);
  assert.equal((await browser(here).signIn(mira.username, CHOSEN)).status, 302);
});

test('changes nothing for an invalid new password', async () => {
  const mira = await userWithExpiredPassword();
  const visit = browser(here);
  await visit.signIn(mira.username, SET);
  await visit.get('//');
  const attempts: readonly [string, string, RegExp][] = [
    [SET, 'short', /Your new password is too short \(minimum is 8 characters\)\./],
    [SET, SET, /Your new password must be another one than before\./],
    [SET, 'password123', /must not contain commonly used/],
    ['wrong', CHOSEN, /Invalid login or password\./],
  ];
  for (const [password, chosen, reason] of attempts) {
    const answer = await renew(visit, mira, password, chosen);
    assert.equal(answer.status, 422, chosen);
    assert.match(answer.text, reason);
  }
  assert.match((await mira.get('/user')).body.message, /Your password expired/);
  assert.equal((await browser(here).signIn(mira.username, SET)).status, 302);
});

test('rejects the change of a password that has not expired', async () => {
  const mira = await userWithPassword(here);
  const visit = browser(here);
  await visit.get('//users/sign_in');
  assert.equal((await renew(visit, mira, PASSWORD, CHOSEN)).status, 302, 'the present one signs in');
  assert.equal((await browser(here).signIn(mira.username, CHOSEN)).status, 422);
  assert.equal((await browser(here).signIn(mira.username, PASSWORD)).status, 302);
});
