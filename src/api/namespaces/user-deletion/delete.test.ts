import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

// The effects of the request itself: whom it rejects, and that the account is disabled immediately.

const testWorld = await world();
const { root, anonymous, user, tokenOf, name, runJobs, clock, server } = testWorld;
const { database, tokenUsage } = server.services;

const NOT_FOUND = { message: '404 User Not Found' };
const SOLE_OWNER = { message: 'User cannot be removed while is the sole-owner of a group' };

const remove = (id: number, params?: object) => root.delete(`/users/${id}`, { ...params });

/** Sends a request that must be rejected and checks that nothing has changed. */
async function assertRejectedAndUnchanged(mira: Caller, refused: () => Promise<void>): Promise<void> {
  await mira.get('/user');
  await tokenUsage.waitForFlush();
  const before = (await root.get(`/users/${mira.id}`)).body;
  const mark = await markRecordedEvents(database.reader);
  await refused();
  await runJobs();
  assert.deepEqual(await listRecordedSince(database.reader, mark), []);
  assert.deepEqual((await root.get(`/users/${mira.id}`)).body, before);
  assert.equal((await mira.get('/user')).status, 200);
}

test('disables tokens, sessions, password and sudo immediately', async () => {
  const mira = await userWithPassword(testWorld);
  const reader = await tokenOf(mira, ['read_user']);
  const order = { name: 'impersonator', scopes: ['api'], expires_at: '2026-12-31' };
  const issued = await root.post(`/users/${mira.id}/impersonation_tokens`, order);
  assert.equal(issued.status, 201, issued.text);
  const impersonator = testWorld.withToken(mira, issued.body.token);
  const grant = { grant_type: 'password', username: mira.username, password: PASSWORD };
  const { access_token, refresh_token } = (await anonymous.post('//oauth/token', grant)).body;
  const bearing = () => anonymous.get('/user', { access_token });
  const visit = await signedInBrowser(testWorld, mira);
  for (const ask of [() => visit.send('GET', '/user'), bearing]) assert.equal((await ask()).body.id, mira.id);
  for (const caller of [mira, reader, impersonator]) assert.equal((await caller.get('/user')).status, 200);
  const deleted = await remove(mira.id);
  assert.deepEqual([deleted.status, deleted.text], [204, '']);
  for (const caller of [mira, reader, impersonator]) {
    const answer = await caller.get('/user');
    assert.deepEqual([answer.status, answer.body], [401, { message: '401 Unauthorized' }]);
  }
  for (const ask of [() => visit.send('GET', '/user'), bearing]) assert.equal((await ask()).status, 401);
  const renewal = await anonymous.post('//oauth/token', { grant_type: 'refresh_token', refresh_token });
  for (const refused of [renewal, await anonymous.post('//oauth/token', grant)]) {
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant']);
  }
  assert.equal((await visit.signIn(mira.username, PASSWORD)).status, 422);
  const sudoer = await tokenOf(root, ['api', 'sudo']);
  for (const sudo of [mira.id, mira.username]) assert.equal((await sudoer.get('/user', { sudo })).status, 404);
});

test('treats other credentials like those of a blocked user until the row is deleted', async () => {
  const mira = await user();
  await remove(mira.id);
  const row = database.reader.selectFrom('users').select('state').where('id', '=', mira.id);
  assert.equal((await row.executeTakeFirst())?.state, 'blocked');
  await runJobs();
  assert.equal(await row.executeTakeFirst(), undefined);
});

test('rejects every change of the user before and after the job', async () => {
  const mira = await user();
  const at = `/users/${mira.id}`;
  assert.equal((await remove(mira.id)).status, 204);
  for (const _ of ['before', 'after']) {
    for (const answer of [
      await root.put(at, { name: 'Another' }),
      await root.post(`${at}/block`),
      await root.post(`${at}/unblock`),
      await root.post(`${at}/activate`),
      await root.post(`${at}/personal_access_tokens`, { name: 't', scopes: ['api'] }),
      await root.post(`${at}/impersonation_tokens`, { name: 't', scopes: ['api'] }),
      await root.post(`${at}/emails`, { email: 'a@b.test' }),
      await root.get(`/users/${mira.username}/projects`),
    ]) {
      assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
    }
    await runJobs();
  }
});

test('lists the user as blocked until the job has finished', async () => {
  const [mira, other] = [await user(), await user()];
  const project = await newProject({ owner: mira });
  await remove(mira.id);
  const listed = async (who: Caller) =>
    (await who.get('/users', { username: mira.username })).body.map(({ id }: Caller) => id);
  const seen = await root.get(`/users/${mira.id}`);
  assert.deepEqual([seen.status, seen.body.state], [200, 'blocked']);
  assert.deepEqual([await listed(root), await listed(other)], [[mira.id], []]);
  await runJobs();
  const response = await root.get(`/users/${mira.id}`);
  assert.deepEqual([response.status, response.body], [404, NOT_FOUND]);
  assert.deepEqual(await listed(root), []);
  assert.equal((await root.get(project.at)).status, 404);
});

test('frees username and email address when the job has finished, not before', async () => {
  const mira = await user();
  const second = `${name('second')}@hearth.test`;
  const added = await root.post(`/users/${mira.id}/emails`, { email: second, skip_confirmation: true });
  assert.equal(added.status, 201);
  await remove(mira.id);
  const again = {
    username: mira.username.toUpperCase(),
    email: `${mira.username}@hearth.test`,
    name: 'M',
    force_random_password: true,
  };
  const early = await root.post('/users', { ...again, email: `${name('other')}@hearth.test` });
  assert.deepEqual([early.status, early.body], [409, { message: 'Username has already been taken' }]);
  for (const email of [again.email, second]) {
    const answer = await root.post('/users', { ...again, username: name('other'), email });
    assert.deepEqual([answer.status, answer.body], [409, { message: 'Email has already been taken' }]);
  }
  await runJobs();
  const created = await root.post('/users', again);
  assert.equal(created.status, 201, created.text);
  assert.notEqual(created.body.id, mira.id);
  assert.equal((await root.post(`/users/${created.body.id}/emails`, { email: second })).status, 201);
});

test('records the deletion in the audit log and keeps the log', async () => {
  const [mira, otto] = [await user(), await user()];
  const group = await newGroup({ owner: mira });
  await expectSuccess(root.post(`${group.at}/members`, { user_id: otto.id, access_level: 50 }));
  const log = async () =>
    (await root.get('/audit_events', { entity_type: 'Group', entity_id: group.id })).body.filter(
      (event: { author_id: number }) => event.author_id === mira.id,
    );
  const before = await log();
  assert.equal(before.length, 1);
  assert.equal(before[0].details.author_email, `${mira.username}@hearth.test`);
  await remove(mira.id);
  await runJobs();
  before[0].details.author_email = null;
  assert.deepEqual(await log(), before);
});

test('records who was deleted and by whom', async () => {
  const mira = await user();
  await remove(mira.id);
  await runJobs();
  const [event, ...others] = (await root.get('/audit_events', { entity_type: 'User', entity_id: mira.id })).body;
  assert.deepEqual(others, []);
  assert.deepEqual([event.author_id, event.event_name], [1, 'user_destroyed']);
  assert.deepEqual(event.details, {
    event_name: 'user_destroyed',
    author_name: 'Administrator',
    author_class: 'User',
    target_id: mira.id,
    target_type: 'User',
    target_details: mira.username,
    custom_message: `User ${mira.username} scheduled for deletion`,
    ip_address: '127.0.0.1',
    entity_path: mira.username,
    author_email: 'admin@example.com',
  });
});

test('requires an administrator', async () => {
  const [mira, stranger] = [await user(), await user()];
  await assertRejectedAndUnchanged(mira, async () => {
    const at = `/users/${mira.id}`;
    const nobody = await anonymous.delete(at);
    assert.deepEqual([nobody.status, nobody.body], [401, { message: '401 Unauthorized' }]);
    for (const caller of [stranger, mira]) {
      const answer = await caller.delete(at);
      assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
    }
    assert.equal((await stranger.delete('/users/99999999')).status, 403);
  });
});

test('returns 404 for unknown ids and usernames', async () => {
  const mira = await user();
  await assertRejectedAndUnchanged(mira, async () => {
    for (const id of ['99999999', '0', '99999999999999999999']) {
      const answer = await root.delete(`/users/${id}`);
      assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], id);
    }
    assert.deepEqual((await root.delete(`/users/${mira.username}`)).body, { error: '404 Not Found' });
    const spoilt = await remove(mira.id, { hard_delete: 'perhaps' });
    assert.deepEqual([spoilt.status, spoilt.body], [400, { error: 'hard_delete is invalid' }]);
  });
});

test('does not delete internal users', async () => {
  const mira = await user();
  await assertRejectedAndUnchanged(mira, async () => {
    for (const username of ['ghost', 'alert-bot']) {
      const [{ id }] = (await root.get('/users', { username })).body;
      for (const hard_delete of [false, true]) {
        const answer = await remove(id, { hard_delete });
        assert.deepEqual(
          [answer.status, answer.body],
          [403, { message: '403 Forbidden - An internal user cannot be deleted' }],
        );
      }
      assert.equal((await root.get(`/users/${id}`)).status, 200);
    }
  });
});

test('returns 412 for a user who was updated after If-Unmodified-Since', async () => {
  const mira = await user();
  const early = { 'If-Unmodified-Since': '2026-01-01T00:00:00Z' };
  await assertRejectedAndUnchanged(mira, async () => {
    const answer = await root.delete(`/users/${mira.id}`, {}, early);
    assert.deepEqual([answer.status, answer.body], [412, { message: '412 Precondition Failed' }]);
    const [{ id: ghost }] = (await root.get('/users', { username: 'ghost' })).body;
    assert.equal((await root.delete(`/users/${ghost}`, {}, early)).status, 403, 'permission is checked first');
  });
  const late = await root.delete(`/users/${mira.id}`, {}, { 'If-Unmodified-Since': clock.now().toISOString() });
  assert.equal(late.status, 204);
});

test('rejects the deletion of the sole owner of a group', async () => {
  const mira = await user();
  await newGroup({ owner: mira });
  await assertRejectedAndUnchanged(mira, async () => {
    const answer = await remove(mira.id);
    assert.deepEqual([answer.status, answer.body], [409, SOLE_OWNER]);
    assert.equal((await remove(mira.id, { hard_delete: false })).status, 409);
  });
});

test('accepts another active Owner of the group or its parents, but no other roles and no expired ones', async () => {
  const [mira, otto] = [await user(), await user()];
  const top = await newGroup({ owner: mira });
  const low = await newGroup({ in: top });
  await top.addMember('maintainer', otto);
  assert.equal((await remove(mira.id)).status, 409, 'a Maintainer is no Owner');
  await low.addMember('owner', otto);
  assert.equal((await remove(mira.id)).status, 409, 'an Owner of a subgroup is no Owner of its parent');
  await root.put(`${top.at}/members/${otto.id}`, { access_level: 50, expires_at: '2026-01-03' });
  clock.advance(24 * 60 * 60);
  assert.equal((await remove(mira.id)).status, 409, 'the membership has expired');
  await root.delete(`${top.at}/members/${otto.id}`);
  await top.addMember('owner', otto);
  assert.equal((await remove(mira.id)).status, 204);
  await runJobs();
  for (const { at } of [top, low]) {
    const members = (await root.get(`${at}/members/all`)).body;
    assert.deepEqual(
      members.map((member: { id: number; access_level: number }) => [member.id, member.access_level]),
      [[otto.id, 50]],
    );
  }
});

test('does not count a token bot as another Owner', async () => {
  const mira = await user();
  const group = await newGroup({ owner: mira });
  const bot = { name: 'bot', scopes: ['api'], access_level: 50, expires_at: '2026-12-01' };
  assert.equal((await root.post(`${group.at}/access_tokens`, bot)).status, 201);
  assert.equal((await remove(mira.id)).status, 409);
});

test('does not count an Owner who is being deleted as another Owner', async () => {
  const [mira, otto] = [await user(), await user()];
  const group = await newGroup({ owner: mira });
  await group.addMember('owner', otto);
  assert.equal((await remove(mira.id)).status, 204);
  assert.equal((await remove(otto.id)).status, 409);
  assert.equal((await otto.delete(`${group.at}/members/${otto.id}`)).status, 403);
  await runJobs();
  assert.equal((await otto.get(group.at)).status, 200);
});

test('keeps one of two Owners who are deleted concurrently', async () => {
  for (let round = 0; round < 12; round++) {
    const [mira, otto] = [await user(), await user()];
    await (await newGroup({ owner: mira })).addMember('owner', otto);
    // Token usage is written to the users' rows independently.
    const uses = [mira, otto].map((owner) => owner.get('/user'));
    const answers = await Promise.all([remove(mira.id), remove(otto.id)]);
    await Promise.all(uses);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
  }
  await runJobs();
});

test('treats repeated and concurrent deletions as one', async () => {
  for (let round = 0; round < 3; round++) {
    const mira = await user();
    const mark = await markRecordedEvents(database.reader);
    const answers = await Promise.all([remove(mira.id), remove(mira.id, { hard_delete: true }), remove(mira.id)]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 204, 204],
    );
    assert.equal((await remove(mira.id)).status, 204);
    await runJobs();
    assert.equal((await remove(mira.id)).status, 404);
    assert.deepEqual(await listRecordedSince(database.reader, mark), ['user_destroyed']);
  }
});

test('deletes bots and blocked, banned and deactivated users', async () => {
  for (const state of ['blocked', 'banned', 'deactivated', 'blocked_pending_approval', 'ldap_blocked'] as const) {
    const { id } = await user();
    await database.transaction((tx) => tx.updateTable('users').set({ state }).where('id', '=', id).execute());
    assert.equal((await remove(id)).status, 204, state);
  }
  const bot = await user();
  const set = { bot: true };
  await database.transaction((tx) => tx.updateTable('users').set(set).where('id', '=', bot.id).execute());
  assert.equal((await remove(bot.id)).status, 204);
  await runJobs();
  assert.equal((await root.get(`/users/${bot.id}`)).status, 404);
});

test('lets administrators delete each other and themselves, except the last one', async () => {
  const last = await root.delete('/users/1');
  const message = '403 Forbidden - The only administrator cannot be deleted';
  assert.deepEqual([last.status, last.body], [403, { message }]);
  assert.equal((await root.get('/user')).status, 200);
  const [second, third] = [await user(), await user()];
  for (const { id } of [second, third]) await root.put(`/users/${id}`, { admin: true });
  await root.post(`/users/${third.id}/block`);
  assert.equal((await second.delete(`/users/${second.id}`)).status, 204);
  assert.equal((await second.get('/user')).status, 401);
  assert.equal((await root.delete('/users/1')).status, 403, 'a blocked administrator does not count');
  await runJobs();
  const [event] = (await root.get('/audit_events', { entity_type: 'User', entity_id: second.id })).body;
  assert.deepEqual(
    [event.event_name, event.author_id, event.details.author_email],
    ['user_destroyed', second.id, null],
  );
});
