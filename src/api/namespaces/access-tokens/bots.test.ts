import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import type { Caller } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';
import {
  createParentToken,
  createTokenParent,
  PARENT_TYPES,
  TOKEN_INPUT,
  type TokenParent,
} from './fixtures.testing.ts';

const { newProject, newGroup } = await world();

// The bot users of project and group tokens.

/** Returns the rows of a user in the database. */
async function countRowsOfUser(userId: number): Promise<Record<string, number>> {
  const { reader } = (await world()).server.services.database;
  const counts: Record<string, number> = {};
  for (const table of ['access_tokens', 'memberships', 'token_bots', 'emails'] as const) {
    const rows = await reader.selectFrom(table).select('user_id').where('user_id', '=', userId).execute();
    counts[table] = rows.length;
  }
  return counts;
}

async function destroy({ at: path, owner }: Pick<TokenParent, 'at' | 'owner'>): Promise<void> {
  const { runJobs } = await world();
  assert.equal((await owner.delete(path)).status, 202);
  const marked = (await owner.get(path)).body;
  const full_path = marked.path_with_namespace ?? marked.full_path;
  assert.equal((await owner.delete(path, { permanently_remove: true, full_path })).status, 202);
  await runJobs();
  assert.equal((await owner.get(path)).status, 404);
}

for (const kind of PARENT_TYPES) {
  test(`${kind}: names the bot user after its token and makes it a member of the parent alone`, async () => {
    const { root } = await world();
    const parent = await createTokenParent(kind);
    const { body, bot } = await createParentToken(parent, { name: 'Builds', access_level: 30 });
    const user = (await root.get(`/users/${body.user_id}`)).body;
    assert.match(user.username, new RegExp(`^${kind}_${parent.id}_bot_[0-9a-f]{32}$`));
    assert.deepEqual(
      [user.name, user.bot, user.is_admin, user.can_create_group, user.created_by.id],
      ['Builds', true, false, false, parent.owner.id],
    );
    const member = (await parent.owner.get(`${parent.at}/members/${body.user_id}`)).body;
    assert.deepEqual([member.access_level, member.expires_at, member.created_by.id], [30, null, parent.owner.id]);
    assert.equal((await bot.post('/groups', { name: 'own', path: 'own' })).status, 403);
    assert.deepEqual((await countRowsOfUser(body.user_id)).memberships, 1);
  });

  test(`${kind}: creates a personal namespace for the bot that accepts no projects`, async () => {
    const { root, newProject } = await world();
    const parent = await createTokenParent(kind);
    const { body, bot } = await createParentToken(parent, { access_level: 50 });
    const { username, namespace_id } = (await root.get(`/users/${body.user_id}`)).body;
    const space = (await bot.get(`/namespaces/${username}`)).body;
    assert.deepEqual([space.id, space.kind, space.path], [namespace_id, 'user', username]);
    const listed = (await root.get('/users', { username })).body;
    assert.deepEqual([listed[0].namespace_id, listed[0].can_create_project], [namespace_id, false]);
    const invalid = { message: { namespace: ['is not valid'] } };
    assert.deepEqual((await bot.post('/projects', { name: 'own' })).body, invalid);
    assert.deepEqual((await root.post('/projects', { name: 'own', namespace_id })).body, invalid);
    assert.deepEqual((await root.post(`/projects/user/${body.user_id}`, { name: 'own' })).body, invalid);
    const other = await newProject({ owner: root });
    assert.ok((await root.put(`${other.at}/transfer`, { namespace: namespace_id })).status >= 400);
  });

  test(`${kind}: marks bots in lists of users and can exclude them`, async () => {
    const { root } = await world();
    const parent = await createTokenParent(kind);
    const { body } = await createParentToken(parent, { name: 'Builds' });
    const username = (await root.get(`/users/${body.user_id}`)).body.username;
    const found = async (params: object) => (await root.get('/users', { username, ...params })).body;
    assert.deepEqual(
      (await found({})).map(({ bot }: { bot: boolean }) => bot),
      [true],
    );
    assert.equal((await found({ exclude_internal: true })).length, 1);
    assert.equal((await found({ exclude_humans: true })).length, 1);
    assert.deepEqual(await found({ without_project_bots: true }), []);
    assert.deepEqual(await found({ humans: true }), []);
  });

  test(`${kind}: does not let a bot sign in with a password`, async () => {
    const testWorld = await world();
    const { body } = await createParentToken(await createTokenParent(kind));
    const { username } = (await testWorld.root.put(`/users/${body.user_id}`, { password: PASSWORD })).body;
    const answer = await browser(testWorld).signIn(username, PASSWORD);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /Invalid login or password\./);
  });

  test(`${kind}: does not add a bot to other groups or projects, alone or in a list`, async () => {
    const { root, user } = await world();
    const { body, bot } = await createParentToken(await createTokenParent(kind));
    const bare = (await root.get(`/users/${body.user_id}`)).body.username;
    for (const other of [await createTokenParent('project'), await createTokenParent('group')]) {
      const add = (params: object) => other.owner.post(`${other.at}/members`, { access_level: 30, ...params });
      const refusal = { message: { user_id: ['project bots cannot be added to other groups / projects'] } };
      for (const named of [{ user_id: body.user_id }, { username: bare }]) {
        const refused = await add(named);
        assert.deepEqual([refused.status, refused.body], [400, refusal]);
      }
      const human = await user();
      const both = await add({ user_id: [human.id, body.user_id] });
      assert.deepEqual(both.body, {
        status: 'error',
        message: { [bare]: 'User project bots cannot be added to other groups / projects' },
      });
      assert.equal((await other.owner.get(`${other.at}/members/${human.id}`)).status, 200);
      assert.equal((await bot.get(other.at)).status, 404);
    }
    assert.equal((await countRowsOfUser(body.user_id)).memberships, 1);
  });

  test(`${kind}: does not let anybody update or remove the bot's membership`, async () => {
    const parent = await createTokenParent(kind);
    const { body, bot } = await createParentToken(parent, { access_level: 20 });
    const path = `${parent.at}/members/${body.user_id}`;
    const again = await parent.owner.post(`${parent.at}/members`, { user_id: body.user_id, access_level: 30 });
    assert.deepEqual([again.status, again.body], [409, { message: 'Member already exists' }]);
    for (const answer of [
      await parent.owner.put(path, { access_level: 30 }),
      await parent.owner.put(path, { access_level: 20, expires_at: '2026-05-01' }),
      await parent.owner.delete(path),
      await bot.delete(path),
    ]) {
      assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
    }
    const member = (await parent.owner.get(path)).body;
    assert.deepEqual([member.access_level, member.expires_at], [20, null]);
  });

  test(`${kind}: protects the bot's membership in the database`, async () => {
    const { server } = await world();
    const { body } = await createParentToken(await createTokenParent(kind));
    const { database } = server.services;
    await assert.rejects(
      database.transaction((tx) => tx.deleteFrom('memberships').where('user_id', '=', body.user_id).execute()),
    );
    assert.equal((await countRowsOfUser(body.user_id)).memberships, 1);
  });

  test(`${kind}: does not rotate a token of a session`, async () => {
    const testWorld = await world();
    const parent = await createTokenParent(kind, { visibility: 'public' });
    const visit = await signedInBrowser(testWorld, await userWithPassword(testWorld));
    const headers = { 'X-CSRF-Token': visit.csrfToken() };
    const { status, body } = await visit.send('POST', `${parent.at}/access_tokens/self/rotate`, { headers });
    assert.deepEqual([status, body], [405, { message: '405 Method Not Allowed' }]);
  });
}

test('does not count a bot as another Owner when the last human Owner leaves', async () => {
  const parent = await createTokenParent('group');
  const { owner, manager, at: path } = parent;
  await createParentToken(parent, { access_level: 50 });
  assert.equal((await owner.delete(`${path}/members/${manager.id}`)).status, 204);
  assert.equal((await owner.delete(`${path}/members/${owner.id}`)).status, 403);
  assert.equal((await owner.put(`${path}/members/${owner.id}`, { access_level: 40 })).status, 403);
});

test('creates a subgroup by a bot without direct members', async () => {
  const parent = await createTokenParent('group');
  const { bot, body } = await createParentToken(parent, { access_level: 50 });
  const created = await bot.post('/groups', { name: 'below', path: 'below', parent_id: parent.id });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual((await parent.owner.get(`/groups/${created.body.id}/members`)).body, []);
  assert.equal((await bot.put(`/groups/${created.body.id}`, { description: 'x' })).status, 200);
  assert.equal((await countRowsOfUser(body.user_id)).memberships, 1);
});

test('makes the bots of external users external', async () => {
  const { root } = await world();
  const parent = await createTokenParent('project');
  await root.put(`/users/${parent.manager.id}`, { external: true });
  const { user_id } = (
    await parent.manager.post(`${parent.at}/access_tokens`, {
      name: 'ci',
      scopes: ['api'],
      expires_at: '2026-12-01',
    })
  ).body;
  assert.equal((await root.get(`/users/${user_id}`)).body.external, true);
});

test('keeps bots and tokens when a project is transferred', async () => {
  const { user } = await world();
  const parent = await createTokenParent('project');
  const { id, bot, body } = await createParentToken(parent, { access_level: 10 });
  const owner = parent.owner;
  const group = await createTokenParent('group');
  await group.owner.post(`${group.at}/members`, { user_id: owner.id, access_level: 40 });
  const moved = await owner.put(`${parent.at}/transfer`, { namespace: group.id });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await bot.get(parent.at)).status, 200);
  assert.equal((await bot.post(`${parent.at}/access_tokens/self/rotate`)).status, 200);
  assert.equal((await group.owner.get(`${parent.at}/access_tokens/${id}`)).body.user_id, body.user_id);
  assert.equal((await (await user()).get(parent.at)).status, 404);
});

test('keeps bots and tokens when a group is transferred', async () => {
  const parent = await createTokenParent('group');
  const { bot, id } = await createParentToken(parent, { access_level: 10 });
  const target = (await parent.owner.post('/groups', { name: 'target', path: `target-${parent.id}` })).body;
  assert.equal((await parent.owner.post(`${parent.at}/transfer`, { group_id: target.id })).status, 201);
  assert.equal((await bot.get(parent.at)).status, 200);
  assert.equal((await parent.owner.get(`${parent.at}/access_tokens/${id}`)).status, 200);
});

test('deletes the bots of a destroyed project and no others', async () => {
  const { root } = await world();
  const parent = await createTokenParent('project');
  const other = await createParentToken(await createTokenParent('project'));
  const { body, bot } = await createParentToken(parent);
  await parent.owner.delete(parent.at);
  assert.equal((await bot.get('/user')).status, 200, 'a project that is only marked for deletion keeps its bots');
  await parent.owner.post(`${parent.at}/restore`);
  await destroy(parent);
  assert.equal((await bot.get('/user')).status, 401);
  assert.equal((await root.get(`/users/${body.user_id}`)).status, 404);
  assert.deepEqual(await countRowsOfUser(body.user_id), { access_tokens: 0, memberships: 0, token_bots: 0, emails: 0 });
  assert.equal((await other.bot.get('/user')).status, 200);
});

test('deletes the bots of a destroyed group and of everything below it', async () => {
  const { root, server } = await world();
  const top = await createTokenParent('group');
  const { owner } = top;
  const below = await newGroup({ owner, name: 'below', path: 'below', in: top });
  const group: TokenParent = { ...top, id: below.id, at: below.at };
  const inside = await newProject({ owner, name: 'inside', in: below });
  const project: TokenParent = { ...top, kind: 'project', id: inside.id, at: inside.at };
  const [kept, ofGroup, ofProject] = [
    await createParentToken(top),
    await createParentToken(group),
    await createParentToken(project),
  ];
  // Content that a bot created elsewhere stays, without its author.
  const created = (await ofGroup.bot.post('/projects', { name: 'made', namespace_id: below.id })).body;
  assert.equal((await owner.put(`/projects/${created.id}/transfer`, { namespace: top.id })).status, 200);
  await destroy(group);
  for (const { bot, body } of [ofGroup, ofProject]) {
    assert.equal((await bot.get('/user')).status, 401);
    assert.equal((await root.get(`/users/${body.user_id}`)).status, 404);
    assert.deepEqual(await countRowsOfUser(body.user_id), {
      access_tokens: 0,
      memberships: 0,
      token_bots: 0,
      emails: 0,
    });
  }
  assert.equal((await kept.bot.get('/user')).status, 200);
  assert.equal((await owner.get(`/projects/${created.id}`)).status, 200);
  const deeds = server.services.database.reader.selectFrom('activity_events').select('id');
  assert.deepEqual(await deeds.where('author_id', '=', ofGroup.body.user_id).execute(), []);
});

test("accepts a project token as git password under any username if the bot's role allows it", async (t) => {
  const { server } = await world();
  const parent = await createTokenParent('project');
  const { path_with_namespace } = (await parent.owner.get(parent.at)).body;
  const directory = await mkdtemp(join(tmpdir(), 'hearth-bot-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=Bot', '-c', 'user.email=bot@hearth.test', ...args], {
      cwd: directory,
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
    });
  const push = ({ token }: Caller) => {
    const remote = server.address.replace('http://', `http://whoever:${token}@`);
    return git('push', '-q', `${remote}/${path_with_namespace}.git`, 'HEAD:refs/heads/main');
  };
  await git('init', '-q');
  await writeFile(join(directory, 'file.txt'), 'Text\n');
  await git('add', '.');
  await git('commit', '-q', '-m', 'Write a file');
  const scopes = ['write_repository'];
  const reporter = await createParentToken(parent, { scopes, access_level: 20 });
  await assert.rejects(push(reporter.bot), /not allowed to push code/);
  const maintainer = await createParentToken(parent, { scopes });
  await push(maintainer.bot);
  const branches = (await parent.owner.get(`${parent.at}/repository/branches`)).body;
  assert.deepEqual(
    branches.map(({ name }: { name: string }) => name),
    ['main'],
  );
});

test('deletes or rejects a token that is created while its parent is destroyed', async () => {
  const { runJobs, server } = await world();
  const { reader } = server.services.database;
  for (const kind of [...PARENT_TYPES, ...PARENT_TYPES, ...PARENT_TYPES]) {
    const { owner, id: parent_id } = await createTokenParent('group');
    const inside = { name: 'inside', path: 'inside', parent_id, namespace_id: parent_id };
    const { id } = (await owner.post(`/${kind}s`, inside)).body;
    const path = `/${kind}s/${id}`;
    await owner.delete(path);
    const { path_with_namespace, full_path = path_with_namespace } = (await owner.get(path)).body;
    const [removed, , ...made] = await Promise.all([
      owner.delete(path, { permanently_remove: true, full_path }),
      runJobs(),
      ...Array.from({ length: 6 }, () => owner.post(`${path}/access_tokens`, TOKEN_INPUT)),
    ]);
    assert.equal(removed.status, 202, removed.text);
    for (const { status, body } of made) {
      if (status === 404)
        assert.deepEqual(body, { message: `404 ${kind === 'project' ? 'Project' : 'Group'} Not Found` });
      else assert.equal(status, 201);
    }
    await runJobs();
    const bots = reader.selectFrom('users').select('id').where('username', 'like', `${kind}_${id}_bot_%`);
    assert.deepEqual(await bots.execute(), []);
  }
});
