import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

// The browser sessions of a user (contract/web.md §3).

const here = await world();
const { anonymous, clock } = here;

const csrf = (visit: { csrfToken(): string }) => ({ headers: { 'X-CSRF-Token': visit.csrfToken() } });

/** Signs a user in with a browser that names itself so. */
async function signInAs({ username }: { readonly username: string }, userAgent: string) {
  const visit = browser(here);
  await visit.get('//users/sign_in');
  const fields = { authenticity_token: visit.csrfToken(), 'user[login]': username, 'user[password]': PASSWORD };
  const answer = await visit.send('POST', '//users/sign_in', {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': userAgent },
  });
  assert.equal(answer.status, 302);
  await visit.get('//');
  return visit;
}

test('lists the sessions of the caller, the newest first, with browser, address and times', async () => {
  const mira = await userWithPassword(here);
  const signedInAt = clock.now().toISOString();
  const first = await signInAs(mira, `Lynx/${'9'.repeat(300)}`);
  clock.advance(60);
  const second = await signInAs(mira, 'Dillo/3');
  await signInAs(await userWithPassword(here), 'Other/1');
  const { body } = await first.get('/user/sessions');
  const [newest, oldest] = body;
  assert.equal(body.length, 2);
  assert.deepEqual([newest.user_agent, newest.current], ['Dillo/3', false]);
  assert.deepEqual(Object.keys(oldest), ['id', 'current', 'created_at', 'last_used_at', 'ip_address', 'user_agent']);
  assert.deepEqual(
    [oldest.current, oldest.created_at, oldest.ip_address, oldest.user_agent],
    [true, signedInAt, '127.0.0.1', `Lynx/${'9'.repeat(250)}`],
  );
  const page = await second.get('/user/sessions?per_page=1&page=2');
  assert.deepEqual([page.body[0].id, page.headers['x-total']], [oldest.id, '2']);
});

test('tells the last use of a session, and leaves out expired ones', async () => {
  const mira = await userWithPassword(here);
  const forgotten = await signInAs(mira, 'Forgotten/1');
  const used = await signInAs(mira, 'Used/1');
  clock.advance(7 * 24 * 3600 - 60);
  assert.equal((await used.get('/user')).status, 200);
  const lastUse = clock.now().toISOString();
  assert.equal((await used.get('/user/sessions')).body[0].last_used_at, lastUse);
  clock.advance(120);
  const { body } = await used.get('/user/sessions');
  assert.deepEqual(
    body.map(({ user_agent }: { user_agent: string }) => user_agent),
    ['Used/1'],
  );
  assert.equal((await forgotten.get('/user')).status, 401);
});

test('ends a session at once, also the one of the request', async () => {
  const mira = await userWithPassword(here);
  const [kept, ended] = [await signedInBrowser(here, mira), await signedInBrowser(here, mira)];
  const idOf = async (visit: typeof kept) =>
    (await visit.get('/user/sessions')).body.find(({ current }: { current: boolean }) => current).id;
  const [keptId, endedId] = [await idOf(kept), await idOf(ended)];
  assert.equal((await kept.send('DELETE', `/user/sessions/${endedId}`, csrf(kept))).status, 204);
  assert.equal((await ended.get('/user')).status, 401);
  assert.equal((await kept.send('DELETE', `/user/sessions/${endedId}`, csrf(kept))).status, 404);
  assert.equal((await kept.send('DELETE', `/user/sessions/${keptId}`, csrf(kept))).status, 204);
  assert.equal((await kept.get('/user')).status, 401);
});

test('returns 404 for the session of another user', async () => {
  const [mira, tom] = [await userWithPassword(here), await userWithPassword(here)];
  const [visit, other] = [await signedInBrowser(here, mira), await signedInBrowser(here, tom)];
  const [{ id }] = (await other.get('/user/sessions')).body;
  const answer = await visit.send('DELETE', `/user/sessions/${id}`, csrf(visit));
  assert.deepEqual([answer.status, answer.body], [404, { message: '404 Not found' }]);
  assert.equal((await other.get('/user')).status, 200);
});

test('accepts only the cookie, and writes only with the CSRF token', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  const [{ id }] = (await visit.get('/user/sessions')).body;
  for (const [method, path] of [
    ['GET', '/user/sessions'],
    ['DELETE', `/user/sessions/${id}`],
  ] as const) {
    const byToken = await mira.send(method, path);
    assert.deepEqual([byToken.status, byToken.body], [403, { message: '403 Forbidden' }]);
    assert.equal((await anonymous.send(method, path)).status, 401);
  }
  assert.equal((await visit.send('DELETE', `/user/sessions/${id}`)).status, 401);
  assert.equal((await visit.get('/user')).status, 200);
});
