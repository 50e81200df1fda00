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
import { givenPlace, givenToken, KINDS, ORDER, type Place } from './fixtures.testing.ts';

const { newProject, newGroup } = await world();

// The users that act by the tokens of projects and groups.

/** What is left in the database of a user. */
async function traces(userId: number): Promise<Record<string, number>> {
  const { reader } = (await world()).server.services.database;
  const counts: Record<string, number> = {};
  for (const table of ['access_tokens', 'memberships', 'token_bots', 'emails'] as const) {
    const rows = await reader.selectFrom(table).select('user_id').where('user_id', '=', userId).execute();
    counts[table] = rows.length;
  }
  return counts;
}

async function destroy({ at: path, owner }: Pick<Place, 'at' | 'owner'>): Promise<void> {
  const { work } = await world();
  assert.equal((await owner.delete(path)).status, 202);
  const marked = (await owner.get(path)).body;
  const full_path = marked.path_with_namespace ?? marked.full_path;
  assert.equal((await owner.delete(path, { permanently_remove: true, full_path })).status, 202);
  await work();
  assert.equal((await owner.get(path)).status, 404);
}

for (const kind of KINDS) {
  test(`${kind}: the bot is a user named as its token, who belongs to this place alone`, async () => {
    const { root } = await world();
    const place = await givenPlace(kind);
    const { body, bot } = await givenToken(place, { name: 'Builds', access_level: 30 });
    const user = (await root.get(`/users/${body.user_id}`)).body;
    assert.match(user.username, new RegExp(`^${kind}_${place.id}_bot_[0-9a-f]{32}$`));
    assert.deepEqual(
      [user.name, user.bot, user.is_admin, user.can_create_group, user.created_by.id],
      ['Builds', true, false, false, place.owner.id],
    );
    const member = (await place.owner.get(`${place.at}/members/${body.user_id}`)).body;
    assert.deepEqual([member.access_level, member.expires_at, member.created_by.id], [30, null, place.owner.id]);
    assert.equal((await bot.post('/groups', { name: 'own', path: 'own' })).status, 403);
    assert.deepEqual((await traces(body.user_id)).memberships, 1);
  });

  test(`${kind}: the bot has a namespace of its own, in which nobody makes a project`, async () => {
    const { root, newProject } = await world();
    const place = await givenPlace(kind);
    const { body, bot } = await givenToken(place, { access_level: 50 });
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

  test(`${kind}: lists of users show bots as such, or leave them out`, async () => {
    const { root } = await world();
    const place = await givenPlace(kind);
    const { body } = await givenToken(place, { name: 'Builds' });
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

  test(`${kind}: no password signs a bot in`, async () => {
    const here = await world();
    const { body } = await givenToken(await givenPlace(kind));
    const { username } = (await here.root.put(`/users/${body.user_id}`, { password: PASSWORD })).body;
    const answer = await browser(here).signIn(username, PASSWORD);
    assert.equal(answer.status, 422);
    assert.match(answer.text, /Invalid login or password\./);
  });

  test(`${kind}: a bot becomes a member of nothing else, alone or in a list`, async () => {
    const { root, user } = await world();
    const { body, bot } = await givenToken(await givenPlace(kind));
    const bare = (await root.get(`/users/${body.user_id}`)).body.username;
    for (const other of [await givenPlace('project'), await givenPlace('group')]) {
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
    assert.equal((await traces(body.user_id)).memberships, 1);
  });

  test(`${kind}: the one membership stays as it is: nobody changes or ends it, the bot neither`, async () => {
    const place = await givenPlace(kind);
    const { body, bot } = await givenToken(place, { access_level: 20 });
    const path = `${place.at}/members/${body.user_id}`;
    const again = await place.owner.post(`${place.at}/members`, { user_id: body.user_id, access_level: 30 });
    assert.deepEqual([again.status, again.body], [409, { message: 'Member already exists' }]);
    for (const answer of [
      await place.owner.put(path, { access_level: 30 }),
      await place.owner.put(path, { access_level: 20, expires_at: '2026-05-01' }),
      await place.owner.delete(path),
      await bot.delete(path),
    ]) {
      assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
    }
    const member = (await place.owner.get(path)).body;
    assert.deepEqual([member.access_level, member.expires_at], [20, null]);
  });

  test(`${kind}: the database keeps a bot's membership, whoever wants it away`, async () => {
    const { server } = await world();
    const { body } = await givenToken(await givenPlace(kind));
    const { database } = server.services;
    await assert.rejects(
      database.transaction((tx) => tx.deleteFrom('memberships').where('user_id', '=', body.user_id).execute()),
    );
    assert.equal((await traces(body.user_id)).memberships, 1);
  });

  test(`${kind}: a session has no token that could rotate itself`, async () => {
    const here = await world();
    const place = await givenPlace(kind, { visibility: 'public' });
    const visit = await signedInBrowser(here, await userWithPassword(here));
    const headers = { 'X-CSRF-Token': visit.csrfToken() };
    const { status, body } = await visit.send('POST', `${place.at}/access_tokens/self/rotate`, { headers });
    assert.deepEqual([status, body], [405, { message: '405 Method Not Allowed' }]);
  });
}

test('a bot that is Owner is no Owner of the group when the last human one wants to go', async () => {
  const place = await givenPlace('group');
  const { owner, manager, at: path } = place;
  await givenToken(place, { access_level: 50 });
  assert.equal((await owner.delete(`${path}/members/${manager.id}`)).status, 204);
  assert.equal((await owner.delete(`${path}/members/${owner.id}`)).status, 403);
  assert.equal((await owner.put(`${path}/members/${owner.id}`, { access_level: 40 })).status, 403);
});

test('a group that a bot makes below its own has no member but those from above', async () => {
  const place = await givenPlace('group');
  const { bot, body } = await givenToken(place, { access_level: 50 });
  const made = await bot.post('/groups', { name: 'below', path: 'below', parent_id: place.id });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual((await place.owner.get(`/groups/${made.body.id}/members`)).body, []);
  assert.equal((await bot.put(`/groups/${made.body.id}`, { description: 'x' })).status, 200);
  assert.equal((await traces(body.user_id)).memberships, 1);
});

test('who is external has no bots that are less so', async () => {
  const { root } = await world();
  const place = await givenPlace('project');
  await root.put(`/users/${place.manager.id}`, { external: true });
  const { user_id } = (
    await place.manager.post(`${place.at}/access_tokens`, {
      name: 'ci',
      scopes: ['api'],
      expires_at: '2026-12-01',
    })
  ).body;
  assert.equal((await root.get(`/users/${user_id}`)).body.external, true);
});

test('a project that is transferred takes its bots and their tokens along', async () => {
  const { user } = await world();
  const place = await givenPlace('project');
  const { id, bot, body } = await givenToken(place, { access_level: 10 });
  const owner = place.owner;
  const group = await givenPlace('group');
  await group.owner.post(`${group.at}/members`, { user_id: owner.id, access_level: 40 });
  const moved = await owner.put(`${place.at}/transfer`, { namespace: group.id });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await bot.get(place.at)).status, 200);
  assert.equal((await bot.post(`${place.at}/access_tokens/self/rotate`)).status, 200);
  assert.equal((await group.owner.get(`${place.at}/access_tokens/${id}`)).body.user_id, body.user_id);
  assert.equal((await (await user()).get(place.at)).status, 404);
});

test('a group that is transferred takes its bots and their tokens along', async () => {
  const place = await givenPlace('group');
  const { bot, id } = await givenToken(place, { access_level: 10 });
  const target = (await place.owner.post('/groups', { name: 'target', path: `target-${place.id}` })).body;
  assert.equal((await place.owner.post(`${place.at}/transfer`, { group_id: target.id })).status, 201);
  assert.equal((await bot.get(place.at)).status, 200);
  assert.equal((await place.owner.get(`${place.at}/access_tokens/${id}`)).status, 200);
});

test('a destroyed project takes its bots along, and nobody elses', async () => {
  const { root } = await world();
  const place = await givenPlace('project');
  const other = await givenToken(await givenPlace('project'));
  const { body, bot } = await givenToken(place);
  await place.owner.delete(place.at);
  assert.equal((await bot.get('/user')).status, 200, 'a project that only waits for it keeps them');
  await place.owner.post(`${place.at}/restore`);
  await destroy(place);
  assert.equal((await bot.get('/user')).status, 401);
  assert.equal((await root.get(`/users/${body.user_id}`)).status, 404);
  assert.deepEqual(await traces(body.user_id), { access_tokens: 0, memberships: 0, token_bots: 0, emails: 0 });
  assert.equal((await other.bot.get('/user')).status, 200);
});

test('a destroyed group takes its bots along, and those of all below it', async () => {
  const { root, server } = await world();
  const top = await givenPlace('group');
  const { owner } = top;
  const below = await newGroup({ owner, name: 'below', path: 'below', in: top });
  const group: Place = { ...top, id: below.id, at: below.at };
  const inside = await newProject({ owner, name: 'inside', in: below });
  const project: Place = { ...top, kind: 'project', id: inside.id, at: inside.at };
  const [kept, ofGroup, ofProject] = [await givenToken(top), await givenToken(group), await givenToken(project)];
  // What a bot has made and what is elsewhere by now stays; that the bot did it is forgotten.
  const made = (await ofGroup.bot.post('/projects', { name: 'made', namespace_id: below.id })).body;
  assert.equal((await owner.put(`/projects/${made.id}/transfer`, { namespace: top.id })).status, 200);
  await destroy(group);
  for (const { bot, body } of [ofGroup, ofProject]) {
    assert.equal((await bot.get('/user')).status, 401);
    assert.equal((await root.get(`/users/${body.user_id}`)).status, 404);
    assert.deepEqual(await traces(body.user_id), { access_tokens: 0, memberships: 0, token_bots: 0, emails: 0 });
  }
  assert.equal((await kept.bot.get('/user')).status, 200);
  assert.equal((await owner.get(`/projects/${made.id}`)).status, 200);
  const deeds = server.services.database.reader.selectFrom('activity_events').select('id');
  assert.deepEqual(await deeds.where('author_id', '=', ofGroup.body.user_id).execute(), []);
});

test("git pushes with a project's token as the password, under any name, if the bot's role does", async (t) => {
  const { server } = await world();
  const place = await givenPlace('project');
  const { path_with_namespace } = (await place.owner.get(place.at)).body;
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
  const reporter = await givenToken(place, { scopes, access_level: 20 });
  await assert.rejects(push(reporter.bot), /not allowed to push code/);
  const maintainer = await givenToken(place, { scopes });
  await push(maintainer.bot);
  const branches = (await place.owner.get(`${place.at}/repository/branches`)).body;
  assert.deepEqual(
    branches.map(({ name }: { name: string }) => name),
    ['main'],
  );
});

test('a token that is made while its place is destroyed goes along, or is not made', async () => {
  const { work, server } = await world();
  const { reader } = server.services.database;
  for (const kind of [...KINDS, ...KINDS, ...KINDS]) {
    const { owner, id: parent_id } = await givenPlace('group');
    const inside = { name: 'inside', path: 'inside', parent_id, namespace_id: parent_id };
    const { id } = (await owner.post(`/${kind}s`, inside)).body;
    const path = `/${kind}s/${id}`;
    await owner.delete(path);
    const { path_with_namespace, full_path = path_with_namespace } = (await owner.get(path)).body;
    const [removed, , ...made] = await Promise.all([
      owner.delete(path, { permanently_remove: true, full_path }),
      work(),
      ...Array.from({ length: 6 }, () => owner.post(`${path}/access_tokens`, ORDER)),
    ]);
    assert.equal(removed.status, 202, removed.text);
    for (const { status, body } of made) {
      if (status === 404)
        assert.deepEqual(body, { message: `404 ${kind === 'project' ? 'Project' : 'Group'} Not Found` });
      else assert.equal(status, 201);
    }
    await work();
    const bots = reader.selectFrom('users').select('id').where('username', 'like', `${kind}_${id}_bot_%`);
    assert.deepEqual(await bots.execute(), []);
  }
});
