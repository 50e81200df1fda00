import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { type Caller, world } from '#test/support/world.ts';

const { newProject } = await world();

const here = await world();
const { root, anonymous, user, tokenOf, name } = here;
const admin = await tokenOf(root, ['api', 'sudo']);

const INSUFFICIENT = {
  error: 'insufficient_scope',
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope: 'sudo',
};
const as = (caller: Caller, Sudo: string, method = 'GET', path = '/user', params?: object) =>
  caller.send(method, path, { headers: { Sudo }, params: params as Record<string, unknown> });

test('an administrator acts as a user by id or name in any case, by header, query and body', async () => {
  const mira = await user();
  assert.equal((await as(admin, String(mira.id))).body.id, mira.id);
  assert.equal((await as(admin, mira.username)).body.id, mira.id);
  assert.equal((await as(admin, mira.username.toUpperCase())).body.id, mira.id);
  assert.equal((await admin.get('/user', { sudo: mira.username })).body.id, mira.id);
  assert.equal((await as(admin, '', 'GET', `/user?sudo=${mira.id}`)).body.id, mira.id);
  assert.equal((await as(admin, String(mira.id), 'HEAD')).status, 200);
  for (const sudo of [mira.id, mira.username]) {
    const { status, body } = await admin.post('/projects', { name: name('project'), sudo });
    assert.equal(status, 201);
    assert.equal(body.owner.id, mira.id);
  }
  assert.equal((await admin.get('/user', { sudo: '' })).body.id, root.id, 'an empty value is none');
});

test('created objects and their activity belong to the impersonated user', async () => {
  const mira = await user();
  const path = name('project');
  const made = await as(admin, mira.username, 'POST', '/projects', { name: path, path });
  assert.equal(made.status, 201);
  assert.equal(made.body.path_with_namespace, `${mira.username}/${path}`);
  assert.equal(made.body.creator_id, mira.id);
  const event = await here.server.services.database.reader
    .selectFrom('audit_events')
    .select('author_id')
    .where('event_name', '=', 'project_created')
    .where('entity_id', '=', made.body.id)
    .executeTakeFirstOrThrow();
  assert.equal(event.author_id, mira.id);
});

test('rights are the other user’s, not the administrator’s', async () => {
  const [mira, otto] = [await user(), await user()];
  const project = await newProject({ owner: otto });
  assert.equal((await admin.get(project.at)).status, 200);
  assert.equal((await as(admin, mira.username, 'GET', project.at)).status, 404);
  assert.equal((await as(admin, mira.username, 'GET', '/application/settings')).status, 403);
  assert.equal((await as(admin, otto.username, 'GET', project.at)).status, 200);
});

test('rejects sudo of anonymous callers, also on public endpoints', async () => {
  const mira = await user();
  for (const path of ['/user', '/projects', '/openapi.json']) {
    const answer = await as(anonymous, mira.username, 'GET', path);
    assert.equal(answer.status, 401, path);
    assert.deepEqual(answer.body, { message: '401 Unauthorized' }, path);
  }
  assert.equal((await as(here.withToken(root, 'wrong'), mira.username)).status, 401);
});

test('rejects sudo of other users, regardless of scope and of whether the named user exists', async () => {
  const mira = await user({ scopes: ['api', 'sudo'] });
  for (const sudo of ['root', mira.username, 'nobody-at-all']) {
    const answer = await as(mira, sudo);
    assert.equal(answer.status, 403);
    assert.deepEqual(answer.body, { message: '403 Forbidden - Must be admin to use sudo' });
  }
});

test('rejects sudo with the session cookie of an administrator', async () => {
  const [chief, mira] = [await userWithPassword(here), await user()];
  await root.put(`/users/${chief.id}`, { admin: true });
  const visit = await signedInBrowser(here, chief);
  const refused = {
    message: '403 Forbidden - Must be authenticated using an OAuth or personal access token to use sudo',
  };
  for (const headers of [{ Sudo: mira.username }, { Sudo: 'nobody-at-all' }]) {
    const read = await visit.send('GET', '/user', { headers });
    assert.equal(read.status, 403);
    assert.deepEqual(read.body, refused);
  }
  const headers = { Sudo: mira.username, 'X-CSRF-Token': visit.csrfToken() };
  assert.deepEqual((await visit.send('POST', '/projects', { headers, params: { name: 'x' } })).body, refused);
  const without = await visit.send('POST', '/projects', { headers: { Sudo: mira.username }, params: { name: 'x' } });
  assert.equal(without.status, 401, 'without its CSRF token the cookie is none');
});

test('the token needs the scope sudo', async () => {
  const [mira, weak] = [await user(), await tokenOf(root, ['api'])];
  for (const sudo of [mira.username, 'nobody-at-all']) {
    const answer = await as(weak, sudo, 'POST', '/projects', { name: 'never' });
    assert.equal(answer.status, 403);
    assert.deepEqual(answer.body, INSUFFICIENT);
  }
  assert.deepEqual((await mira.get('/projects', { owned: true })).body, []);
});

test('returns 404 with the given value for an unknown user', async () => {
  for (const sudo of ['Nobody-At-All', '123456', '99999999999999999999', '-1', "'; --", 'ghost', '1.5']) {
    const answer = await as(admin, sudo);
    assert.equal(answer.status, 404, sudo);
    assert.deepEqual(answer.body, { message: `404 User with ID or username '${sudo}' Not Found` });
  }
  for (const sudo of ['Müller', '+1', '日本', '1,2']) {
    const message = `404 User with ID or username '${sudo}' Not Found`;
    assert.deepEqual((await as(admin, Buffer.from(sudo).toString('latin1'))).body, { message });
    assert.deepEqual((await admin.get('/user', { sudo })).body, { message });
  }
  for (const sudo of [true, 1e300, -1, 1.5]) {
    const { status, body } = await admin.post('/projects', { name: 'x', sudo });
    assert.deepEqual([status, body], [404, { message: `404 User with ID or username '${sudo}' Not Found` }]);
  }
  assert.equal((await admin.post('/projects', { name: 'x', sudo: 'a\u0000b' })).status, 404);
  assert.deepEqual((await admin.get('/projects', { owned: true })).body, [], 'nothing was done in their place');
});

test('rejects a list or a hash as sudo user', async () => {
  const mira = await user();
  const path = name('project');
  for (const sudo of [[mira.id], [], { id: mira.id }]) {
    const { status, body } = await admin.post('/projects', { name: path, sudo });
    assert.deepEqual([status, body], [400, { error: 'sudo is invalid' }]);
  }
  assert.equal((await admin.get(`/projects?sudo[]=${mira.id}`)).status, 400);
  assert.equal((await root.get(`/projects/root%2F${path}`)).status, 404, 'nothing was done');
});

test('a token with only the scope sudo can impersonate but not act as its own user', async () => {
  const [only, mira] = [await tokenOf(root, ['sudo']), await user()];
  assert.equal((await only.get('/user')).status, 403);
  const made = await as(only, mira.username, 'POST', '/projects', { name: name('project') });
  assert.equal(made.status, 201);
  for (const sudo of ['root', 'ROOT', String(root.id)]) {
    const answer = await as(only, sudo, 'GET', '/projects');
    assert.equal(answer.status, 403, sudo);
    assert.deepEqual(answer.body, { ...INSUFFICIENT, scope: 'api read_api' });
  }
  assert.equal((await as(admin, 'root')).body.id, root.id);
});

test('accepts a sudo user in any state', async () => {
  const mira = await user();
  for (const [away, back] of [
    ['block', 'unblock'],
    ['ban', 'unban'],
    ['deactivate', 'activate'],
  ]) {
    assert.equal((await root.post(`/users/${mira.id}/${away}`)).status, 201, away);
    const made = await as(admin, mira.username, 'POST', '/projects', { name: name('project') });
    assert.deepEqual([made.status, made.body.creator_id], [201, mira.id], away);
    await root.post(`/users/${mira.id}/${back}`);
  }
  await root.put(`/users/${mira.id}`, { password: 'violet-anvil-harbour-42' });
  assert.equal((await mira.get('/user')).status, 403, 'the expired password keeps the user out');
  assert.equal((await as(admin, mira.username)).status, 200, 'and not the administrator');
});

test('rejects a blocked administrator before all other checks', async () => {
  const chief = await user({ scopes: ['api', 'sudo'] });
  await root.put(`/users/${chief.id}`, { admin: true });
  await root.post(`/users/${chief.id}/block`);
  const answer = await as(chief, 'root');
  assert.deepEqual(answer.body, { message: '403 Forbidden - Your account has been blocked.' });
});

test('ignores sudo outside the API', async () => {
  assert.equal((await as(anonymous, 'nobody-at-all', 'GET', '//-/liveness')).status, 200);
});
