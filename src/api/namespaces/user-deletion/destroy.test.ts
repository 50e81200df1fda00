import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markHistory, recordedSince } from '#activity/index.ts';
import { zeroId } from '#git/refs/refs.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { settleIntent } from '#repositories/ref-updates/complete-intent.ts';
import { insertIntent } from '#repositories/ref-updates/intents.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { type Caller, done, world } from '#test/support/world.ts';
import { made, remove } from './fixtures.testing.ts';

// What is left of a user when the queue has done its work.

const { root, user, name, work, server, newProject, newGroup } = await world();
const { database, git } = server.services;

async function statuses(...paths: string[]): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await root.get(path)).status));
}

function placeOf(projectId: number) {
  return database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
}

test('personal projects go with their repositories, those that wait for their deletion too', async () => {
  const mira = await user();
  const [plain, moved, marked] = [
    await newProject({ owner: mira, readme: true }),
    await newProject({ owner: mira, readme: true }),
    await newProject({ owner: mira, readme: true }),
  ];
  assert.equal((await mira.put(`/projects/${moved.id}`, { path: name('new') })).status, 200);
  assert.equal((await mira.delete(`/projects/${marked.id}`)).status, 202);
  const ids = [plain.id, moved.id, marked.id];
  const repositories = (await Promise.all(ids.map(placeOf))).map((place) => repositoryOf(git, place));
  for (const repository of repositories) assert.equal(await repositoryExists(repository), true);
  await remove(mira);
  await work();
  const gone = [...ids, ...[plain, moved].map(({ path_with_namespace: path }) => encodeURIComponent(path))];
  assert.deepEqual(
    await statuses(...gone.map((id) => `/projects/${id}`)),
    gone.map(() => 404),
  );
  for (const repository of repositories) assert.equal(await repositoryExists(repository), false);
});

test('the personal namespace goes, and its path is free for a group', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  assert.deepEqual(await statuses(`/namespaces/${mira.username}`), [200]);
  await remove(mira);
  await work();
  assert.deepEqual(await statuses(`/namespaces/${mira.username}`), [404]);
  await newGroup({ owner: root, path: mira.username });
});

test('the history tells who has removed what', async () => {
  const mira = await user();
  const project = await newProject({ owner: mira });
  const mark = await markHistory(database.reader);
  await remove(mira);
  await work();
  assert.deepEqual(await recordedSince(database.reader, mark), ['user_destroyed', 'project_destroyed']);
  const params = { entity_type: 'Gitlab::Audit::InstanceScope' };
  const [event] = (await root.get('/audit_events', params)).body;
  const { author_id, event_name, details } = event;
  assert.deepEqual([author_id, event_name, details.target_id], [1, 'project_destroyed', project.id]);
  assert.deepEqual([details.author_name, details.ip_address], ['Administrator', '127.0.0.1']);
});

test('memberships end, in groups and in projects; who else is there stays', async () => {
  const [mira, otto] = [await user(), await user()];
  const group = await newGroup({ owner: otto });
  const project = await newProject({ owner: otto });
  for (const place of [group, project]) await place.add('maintainer', mira);
  await remove(mira);
  await work();
  for (const at of [group.at, project.at]) {
    const ids = (await root.get(`${at}/members`)).body.map(({ id }: Caller) => id);
    assert.deepEqual(ids, [otto.id]);
  }
});

test('activity that the user has authored is gone everywhere, that of others stays', async () => {
  const [mira, otto] = [await user(), await user()];
  const project = await newProject({ owner: otto, readme: true });
  await project.add('maintainer', mira);
  for (const by of [mira, otto]) {
    await made(by, `${project.repository}/branches`, { branch: name('branch'), ref: 'main' });
  }
  const authors = async () => {
    const rows = database.reader.selectFrom('activity_events').select('author_id').where('project_id', '=', project.id);
    return (await rows.orderBy('id').execute()).map(({ author_id }) => author_id);
  };
  assert.deepEqual(await authors(), [otto.id, otto.id, mira.id, mira.id, otto.id]);
  await remove(mira);
  await work();
  assert.deepEqual(await authors(), [otto.id, otto.id, otto.id]);
});

test('what the user has made elsewhere stays, made by nobody', async () => {
  const [mira, otto, member] = [await user(), await user(), await user()];
  await root.put(`/users/${mira.id}`, { admin: true });
  const group = await newGroup({ owner: otto });
  const at = group.at;
  await done(root.post(`${at}/members`, { user_id: mira.id, access_level: 50 }));
  await done(mira.post(`${at}/members`, { user_id: member.id, access_level: 30 }));
  const project = await newProject({ owner: mira, in: group, readme: true });
  const username = name('created');
  const account = { username, name: 'Created', email: `${username}@x.test`, force_random_password: true };
  const created = await made(mira, '/users', account);
  const makers = async () => {
    const rows = database.reader.selectFrom('memberships').select('created_by_id').where('source_id', '=', group.id);
    return (await rows.where('source_type', '=', 'group').orderBy('id').execute()).map((row) => row.created_by_id);
  };
  assert.deepEqual(
    [project.creator_id, created.created_by.id, await makers()],
    [mira.id, mira.id, [otto.id, 1, mira.id]],
  );
  // Neither way deletes what is others' too.
  await remove(mira, { hard_delete: true });
  await work();
  assert.equal((await root.get(project.at)).body.creator_id, null);
  assert.equal((await root.get(`/users/${created.id}`)).body.created_by, null);
  assert.deepEqual(await makers(), [otto.id, null]);
  assert.deepEqual(await statuses(`${project.repository}/branches/main`, at), [200, 200]);
});

test('protected branches no longer admit the user, and are still there', async () => {
  const [mira, otto] = [await user(), await user()];
  const project = await newProject({ owner: otto, readme: true });
  await project.add('maintainer', mira);
  const rules = `${project.at}/protected_branches`;
  const rule = { name: 'stable', allowed_to_push: [{ user_id: mira.id }, { access_level: 40 }] };
  const before = await made(otto, rules, rule);
  assert.equal(before.push_access_levels.length, 2);
  await remove(mira);
  await work();
  const { push_access_levels: left } = (await otto.get(`${rules}/stable`)).body;
  assert.deepEqual(
    left.map(({ user_id, access_level }: Record<string, number | null>) => [user_id, access_level]),
    [[null, 40]],
  );
});

test('a move of refs that is settled after the user has gone is nobody’s', async () => {
  const [mira, otto] = [await user(), await user()];
  const project = await newProject({ owner: otto, readme: true });
  const main = (await otto.get(`${project.repository}/branches/main`)).body.commit.id;
  const changes = [{ ref: 'refs/heads/late', oldId: zeroId, newId: main }];
  const at = await database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const begun = { of: { projectId: project.id }, at, changes };
  const intent = await database.transaction((tx) => insertIntent(tx, begun, { server: true, userId: mira.id }));
  assert.ok(!isFailure(intent));
  await remove(mira);
  await work();
  const mark = await markHistory(database.reader);
  await settleIntent(server.services, intent, changes);
  assert.deepEqual(await recordedSince(database.reader, mark), []);
  await work();
});

test('a group of which somebody else is an Owner stays, even with hard_delete', async () => {
  const [mira, otto] = [await user(), await user()];
  const [first, second] = [await newGroup({ owner: mira }), await newGroup({ owner: otto })];
  await first.add('owner', otto);
  const below = await newGroup({ owner: otto, in: second });
  await below.add('owner', mira);
  const project = await newProject({ owner: mira, in: first });
  await remove(mira, { hard_delete: true });
  await work();
  const paths = [`/groups/${first.id}`, `/groups/${second.id}`, below.at, project.at];
  assert.deepEqual(await statuses(...paths), [200, 200, 200, 200]);
});

test('hard_delete destroys the groups that nobody else owns, with all below them', async () => {
  const [mira, otto] = [await user(), await user()];
  const top = await newGroup({ owner: mira });
  const low = await newGroup({ in: top });
  await low.add('owner', otto);
  const other = await newGroup({ owner: mira });
  const projects = [await newProject({ in: top, readme: true }), await newProject({ in: low, readme: true })];
  const repositories = (await Promise.all(projects.map(({ id }) => placeOf(id)))).map((at) => repositoryOf(git, at));
  const mark = await markHistory(database.reader);
  await remove(mira, { hard_delete: true });
  await work();
  assert.deepEqual(
    await statuses(
      ...[top, low, other].map(({ id }) => `/groups/${id}`),
      ...projects.map(({ id }) => `/projects/${id}`),
    ),
    [404, 404, 404, 404, 404],
  );
  for (const repository of repositories) assert.equal(await repositoryExists(repository), false);
  const destroyed = ['project_destroyed', 'project_destroyed', 'group_destroyed', 'group_destroyed', 'group_destroyed'];
  assert.deepEqual(await recordedSince(database.reader, mark), ['user_destroyed', ...destroyed]);
  await newGroup({ owner: otto, path: top.path });
});

test('a group that gets another Owner before the work is done stays', async () => {
  const [mira, otto] = [await user(), await user()];
  const group = await newGroup({ owner: mira });
  const project = await newProject({ in: group });
  await remove(mira, { hard_delete: true });
  await done(root.post(`${group.at}/members`, { user_id: otto.id, access_level: 50 }));
  await work();
  assert.deepEqual(await statuses(group.at, project.at), [200, 200]);
  const [only, ...others] = (await otto.get(`${group.at}/members`)).body;
  assert.deepEqual([only.id, others], [otto.id, []]);
});
