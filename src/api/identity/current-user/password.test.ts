import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Browser, browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

// The password that users change in the browser (contract/web.md §3).

const here = await world();
const { root, clock } = here;

const NEW_PASSWORD = 'amber-lantern-quarry-19';
const WRONG = { message: { current_password: ['is invalid'] } };

const change = (visit: Browser, current_password: string, password = NEW_PASSWORD) =>
  visit.send('PUT', '/user/password', {
    params: { current_password, password },
    headers: { 'X-CSRF-Token': visit.csrfToken() },
  });

test('sets the new password, ends the other sessions, and keeps this one and the tokens', async () => {
  const mira = await userWithPassword(here);
  const [visit, other] = [await signedInBrowser(here, mira), await signedInBrowser(here, mira)];
  assert.equal((await change(visit, PASSWORD)).status, 204);
  assert.deepEqual([(await visit.get('/user')).status, (await other.get('/user')).status], [200, 401]);
  assert.equal((await mira.get('/user')).status, 200);
  assert.notEqual((await browser(here).signIn(mira.username, PASSWORD)).status, 302);
  assert.equal((await browser(here).signIn(mira.username, NEW_PASSWORD)).status, 302);
  const events = (await root.get('/audit_events', { entity_type: 'User', entity_id: mira.id })).body;
  assert.equal(events[0].event_name, 'user_password_updated');
});

test('rejects a wrong current password, also with a weak new one, and keeps all sessions', async () => {
  const mira = await userWithPassword(here);
  const [visit, other] = [await signedInBrowser(here, mira), await signedInBrowser(here, mira)];
  for (const password of [NEW_PASSWORD, 'short']) {
    const answer = await change(visit, 'wrong', password);
    assert.deepEqual([answer.status, answer.body], [400, WRONG]);
  }
  const weak = await change(visit, PASSWORD, 'short');
  const problem = { message: { password: ['is too short (minimum is 8 characters)'] } };
  assert.deepEqual([weak.status, weak.body], [400, problem]);
  assert.equal((await other.get('/user')).status, 200);
});

test('a wrong current password counts as a failed sign-in of the account', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  for (let count = 0; count < 10; count++) assert.deepEqual((await change(visit, 'wrong')).body, WRONG);
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, true);
  assert.deepEqual((await change(visit, PASSWORD)).body, WRONG);
  clock.advance(601);
  assert.equal((await change(visit, PASSWORD)).status, 204);
});

test('a wrong current password counts for the limit of the network', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  clock.advance(600);
  await root.put('/application/settings', { failed_sign_in_limit: 2 });
  try {
    assert.deepEqual((await change(visit, 'wrong')).body, WRONG);
    assert.deepEqual((await change(visit, 'wrong')).body, WRONG);
    const limited = await change(visit, PASSWORD);
    assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '600']);
  } finally {
    await root.put('/application/settings', { failed_sign_in_limit: 50 });
  }
});
