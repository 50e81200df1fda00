import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { type Caller, world } from '#test/support/world.ts';

const { newProject } = await world();

// Whom a good token does not let in, and what he is told (contract/conventions.md §7 "Refusals").

const here = await world();
const { root, user, tokenOf, anonymous, server, clock } = here;

const BLOCKED = '403 Forbidden - Your account has been blocked.';
const DEACTIVATED = `403 Forbidden - Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${server.address}`;
const PENDING = '403 Forbidden - Your account is pending approval from your administrator and hence blocked.';
const EXPIRED =
  '403 Forbidden - Your password expired. Please access Hearth from a web browser to update your password.';

const uow = async (mira: Caller, verb: string) => {
  const { status, body } = await root.post(`/users/${mira.id}/${verb}`);
  assert.deepEqual([status, body], [201, true], verb);
};

const setState = (id: number, change: object) =>
  server.services.database.transaction((tx) => tx.updateTable('users').set(change).where('id', '=', id).execute());

/** The refusal on an endpoint for users, on public ones, on writes and on what is not there; each way of a token alike. */
async function isBarred(mira: Caller, message: string): Promise<void> {
  for (const [method, path] of [
    ['GET', '/user'],
    ['GET', '/projects'],
    ['GET', '/projects/999999'],
    ['POST', '/projects'],
    ['DELETE', '/personal_access_tokens/self'],
    ['PUT', '/application/settings'],
  ] as const) {
    const { status, body } = await mira.send(method, path);
    assert.deepEqual([status, body], [403, { message }], `${method} ${path}`);
  }
  const bearer = await anonymous.get('/user', {}, { Authorization: `Bearer ${mira.token}` });
  assert.deepEqual([bearer.status, bearer.body], [403, { message }]);
  assert.equal((await anonymous.get('/user', { private_token: mira.token })).status, 403);
}

const isBack = async (mira: Caller) => assert.equal((await mira.get('/user')).status, 200);

test('rejects a blocked user until they are unblocked', async () => {
  const mira = await user();
  await uow(mira, 'block');
  await isBarred(mira, BLOCKED);
  await uow(mira, 'unblock');
  await isBack(mira);
});

test('rejects a banned user until they are unbanned', async () => {
  const mira = await user();
  await uow(mira, 'ban');
  await isBarred(mira, BLOCKED);
  await uow(mira, 'unban');
  await isBack(mira);
});

test('rejects a deactivated user until they are activated', async () => {
  const mira = await user();
  await uow(mira, 'deactivate');
  await isBarred(mira, DEACTIVATED);
  await uow(mira, 'activate');
  await isBack(mira);
});

test('rejects a user who waits for approval', async () => {
  const mira = await user();
  await setState(mira.id, { state: 'blocked_pending_approval' });
  await isBarred(mira, PENDING);
});

test('rejects a user whose password was set by an administrator until they change it', async () => {
  const mira = await userWithPassword(here);
  assert.equal((await root.put(`/users/${mira.id}`, { password: `${PASSWORD}-other` })).status, 200);
  await isBarred(mira, EXPIRED);
  await uow(mira, 'block');
  await isBarred(mira, BLOCKED);
  await uow(mira, 'unblock');
  await setState(mira.id, { password_expires_at: null });
  await isBack(mira);
});

test('accepts an administrator who has changed their own password', async () => {
  const chief = await userWithPassword(here);
  await root.put(`/users/${chief.id}`, { admin: true });
  assert.equal((await chief.put(`/users/${chief.id}`, { password: `${PASSWORD}-other` })).status, 200);
  await isBack(chief);
});

test('reports an invalid token before an insufficient scope, and that before the state of the user', async () => {
  const mira = await user();
  const reader = await tokenOf(mira, ['read_user']);
  await uow(mira, 'block');
  assert.equal((await reader.get('/projects')).body.error, 'insufficient_scope');
  assert.equal((await reader.get('/user')).body.message, BLOCKED);
  clock.advance(365 * 86_400);
  assert.equal((await mira.get('/user')).status, 401, 'the token is over');
  clock.advance(-365 * 86_400);
});

test('rejects the token of a blocked bot until the bot is unblocked', async () => {
  const mira = await user();
  const project = await newProject({ owner: mira, name: here.name('project') });
  const order = { name: 'ci', scopes: ['api'], expires_at: '2026-12-01' };
  const { user_id: id, token } = (await mira.post(`${project.at}/access_tokens`, order)).body;
  const bot = here.withToken({ ...mira, id }, token);
  await uow(bot, 'block');
  await isBarred(bot, BLOCKED);
  await uow(bot, 'unblock');
  await isBack(bot);
});
