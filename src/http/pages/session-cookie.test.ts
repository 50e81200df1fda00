import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { root, anonymous, clock, server } = here;
const { database } = server.services;
const UNAUTHORIZED = { message: '401 Unauthorized' };

const set = (id: number, change: object) =>
  database.transaction((tx) => tx.updateTable('users').set(change).where('id', '=', id).execute());

test('GET and HEAD work with the cookie as its user', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  assert.equal((await visit.send('GET', '/user')).body.id, mira.id);
  assert.equal((await visit.send('HEAD', '/user')).status, 200);
  assert.equal((await visit.send('GET', '/application/settings')).status, 403);
});

test('other methods require the CSRF token, in the header or as a parameter', async () => {
  const visit = await signedInBrowser(here, await userWithPassword(here));
  const other = await signedInBrowser(here, await userWithPassword(here));
  const create = (headers: Record<string, string> = {}, params: object = {}) => {
    const name = here.name('project');
    return visit.send('POST', '/projects', { headers, params: { name, ...params } });
  };
  for (const refused of [
    await create(),
    await create({ 'X-CSRF-Token': 'wrong' }),
    await create({ 'X-CSRF-Token': other.csrfToken() }),
    await create({}, { authenticity_token: '' }),
    await create({}, { authenticity_token: ['x'] }),
    await create({ 'X-CSRF-Token': other.csrfToken() }, { authenticity_token: visit.csrfToken() }),
  ]) {
    assert.equal(refused.status, 401);
    assert.deepEqual(refused.body, UNAUTHORIZED);
  }
  assert.deepEqual((await visit.send('GET', '/projects?owned=true')).body, [], 'nothing was made');
  assert.equal((await create({ 'X-CSRF-Token': visit.csrfToken() })).status, 201);
  assert.equal((await create({}, { authenticity_token: visit.csrfToken() })).status, 201);
  const { body } = await create({}, { authenticity_token: visit.csrfToken() });
  const query = `authenticity_token=${visit.csrfToken()}`;
  assert.equal((await visit.send('DELETE', `/projects/${body.id}?${query}`)).status, 202);
  assert.equal((await visit.send('PUT', `/projects/${body.id}?authenticity_token=x`, { params: {} })).status, 401);
});

test('rejects the cookie from other origins and accepts it from its own', async () => {
  const visit = await signedInBrowser(here, await userWithPassword(here));
  for (const Origin of ['https://evil.test', 'null', 'http://127.0.0.1:1', `${server.address}.evil.test`]) {
    const read = await visit.send('GET', '/user', { headers: { Origin } });
    assert.equal(read.status, 401, Origin);
    const headers = { Origin, 'X-CSRF-Token': visit.csrfToken() };
    const write = await visit.send('POST', '/projects', { headers, params: { name: here.name('project') } });
    assert.equal(write.status, 401, Origin);
  }
  assert.equal((await visit.send('GET', '/user', { headers: { Origin: server.address } })).status, 200);
});

test('ignores an invalid cookie', async () => {
  for (const cookie of ['x', '', 'a'.repeat(43), `${'a'.repeat(42)}=`, '"', '../'.repeat(14) + 'a']) {
    const stranger = browser(here, cookie);
    assert.equal((await stranger.send('GET', '/projects')).status, 200, cookie);
    assert.deepEqual((await stranger.send('GET', '/user')).body, UNAUTHORIZED, cookie);
  }
  const visit = browser(here);
  await visit.get('//users/sign_in');
  assert.equal((await visit.send('GET', '/user')).status, 401, 'a session of nobody');
});

test('a given token takes precedence over the cookie, even if invalid', async () => {
  const [mira, otto] = [await userWithPassword(here), await userWithPassword(here)];
  const visit = await signedInBrowser(here, mira);
  const get = (headers: Record<string, string>) => visit.send('GET', '/user', { headers });
  assert.equal((await get({ 'PRIVATE-TOKEN': 'wrong' })).status, 401);
  assert.equal((await get({ Authorization: 'Bearer wrong' })).status, 401);
  assert.equal((await get({ 'PRIVATE-TOKEN': otto.token ?? '' })).body.id, otto.id);
  assert.equal((await get({ 'PRIVATE-TOKEN': '' })).body.id, mira.id, 'an empty value is none');
  const write = await visit.send('POST', '/projects', {
    headers: { 'PRIVATE-TOKEN': otto.token ?? '' },
    params: { name: here.name('project') },
  });
  assert.equal(write.status, 201, 'and it needs no CSRF token');
});

test('uses the first of several credentials, in the order of the contract', async () => {
  const [mira, otto] = [await userWithPassword(here), await userWithPassword(here)];
  const [mine, his] = [mira.token ?? '', otto.token ?? ''];
  const ask = async (query: string, headers: Record<string, string>) => {
    const answer = await anonymous.send('GET', `/user?${query}`, { headers });
    return answer.status === 200 ? answer.body.id : answer.status;
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  assert.equal(await ask(`access_token=${mine}`, bearer(his)), mira.id);
  assert.equal(await ask(`bearer_token=${his}`, bearer(mine)), mira.id);
  assert.equal(await ask(`bearer_token=${mine}&private_token=${his}`, {}), mira.id);
  assert.equal(await ask(`private_token=${mine}`, { 'PRIVATE-TOKEN': his }), mira.id);
  assert.equal(await ask('', { ...bearer(mine), 'PRIVATE-TOKEN': his }), mira.id);
  assert.equal(await ask('', { ...bearer('wrong'), 'PRIVATE-TOKEN': his }), 401);
  assert.equal(await ask('job_token=wrong', { 'JOB-TOKEN': 'wrong', 'PRIVATE-TOKEN': mine }), mira.id);
  assert.equal(await ask('', { Authorization: 'Basic d3Jvbmc6d3Jvbmc=', 'PRIVATE-TOKEN': mine }), mira.id);
});

test('rejects the cookie of a blocked user until the user is unblocked', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  const refused = async () => (await visit.send('GET', '/user')).body.message;
  await root.post(`/users/${mira.id}/block`);
  assert.equal(await refused(), '403 Forbidden - Your account has been blocked.');
  assert.equal((await visit.get('//')).headers.location, '/users/sign_in', 'pages take him for nobody');
  assert.equal((await visit.get('//users/sign_in')).status, 200);
  await root.post(`/users/${mira.id}/unblock`);
  assert.equal((await visit.send('GET', '/user')).status, 200);
  await set(mira.id, { state: 'banned' });
  assert.equal(await refused(), '403 Forbidden - Your account has been blocked.');
  await set(mira.id, { state: 'blocked_pending_approval' });
  assert.match(await refused(), /pending approval/);
  await set(mira.id, { state: 'active', password_expires_at: clock.now().toISOString() });
  assert.match(await refused(), /Your password expired/);
  assert.equal((await visit.get('//')).status, 200, 'where he is sent he is let in');
});

test('a password change deletes the existing sessions', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  await root.put(`/users/${mira.id}`, { password: `${PASSWORD}-new` });
  assert.equal((await visit.send('GET', '/user')).status, 401);
});

test('deleting a user deletes their sessions', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  await database.transaction((tx) => tx.deleteFrom('namespaces').where('owner_id', '=', mira.id).execute());
  await database.transaction((tx) => tx.deleteFrom('users').where('id', '=', mira.id).execute());
  assert.equal((await visit.send('GET', '/user')).status, 401);
});

test('a session expires after the configured idle time', async () => {
  const visit = await signedInBrowser(here, await userWithPassword(here));
  const status = async () => {
    const answer = await visit.send('GET', '/user');
    await server.services.tokenUsage.waitForFlush();
    return answer.status;
  };
  await root.put('/application/settings', { session_expire_delay: 60 });
  try {
    for (let visits = 0; visits < 5; visits++) {
      clock.advance(59 * 60);
      assert.equal(await status(), 200);
    }
    clock.advance(60 * 60);
    assert.equal(await status(), 401);
    assert.equal((await visit.get('//')).status, 302);
  } finally {
    await root.put('/application/settings', { session_expire_delay: 10_080 });
  }
});

test('only a few requests update the last use of a session', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  const seen = async () => {
    await visit.send('GET', '/user');
    await server.services.tokenUsage.waitForFlush();
    const { last_seen_at } = await database.reader
      .selectFrom('sessions')
      .select('last_seen_at')
      .where('user_id', '=', mira.id)
      .executeTakeFirstOrThrow();
    return last_seen_at;
  };
  const first = await seen();
  clock.advance(299);
  assert.equal(await seen(), first);
  clock.advance(1);
  assert.equal(await seen(), clock.now().toISOString());
});

test('a request with the cookie updates the last activity date', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  clock.advance(86_400);
  await visit.send('GET', '/user');
  await server.services.tokenUsage.waitForFlush();
  const { body } = await root.get(`/users/${mira.id}`);
  assert.equal(body.last_activity_on, clock.now().toISOString().slice(0, 10));
});

test('cookie and pages respect https and the path prefix', async () => {
  const elsewhere = await world({ env: { HEARTH_EXTERNAL_URL: 'https://code.test/hearth' } });
  const mira = await userWithPassword(elsewhere);
  const visit = browser(elsewhere);
  const form = await visit.get('//users/sign_in');
  assert.match(String(form.headers['set-cookie']), /; Path=\/hearth; HttpOnly; SameSite=Lax; Secure$/);
  assert.match(form.text, /action="\/hearth\/users\/sign_in"/);
  const answer = await visit.submit('//users/sign_in', { 'user[login]': mira.username, 'user[password]': PASSWORD });
  assert.equal(answer.headers.location, '/hearth/');
  assert.equal((await visit.send('GET', '/user', { headers: { Origin: 'https://code.test' } })).status, 200);
  assert.equal((await visit.send('GET', '/user', { headers: { Origin: 'http://code.test' } })).status, 401);
});

test('no secret of a session is logged', async () => {
  const visit = await signedInBrowser(here, await userWithPassword(here));
  await visit.send('GET', `/user?authenticity_token=${visit.csrfToken()}`);
  const log = here.logged();
  assert.ok(!log.includes(visit.cookie() as string));
  assert.ok(!log.includes(visit.csrfToken()));
  assert.ok(!log.includes(PASSWORD));
});
