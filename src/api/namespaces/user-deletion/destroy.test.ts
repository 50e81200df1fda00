import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { completeIntent } from '#repositories/ref-updates/complete-intent.ts';
import { createIntent } from '#repositories/ref-updates/intents.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { createResource, deleteUser } from './fixtures.testing.ts';

// The state after the deletion job has run.

const { root, user, name, runJobs, server, newProject, newGroup } = await world();
const { database, git } = server.services;

async function statuses(...paths: string[]): Promise<number[]> {
  return Promise.all(paths.map(async (path) => (await root.get(path)).status));
}

function findRepository(projectId: number) {
  return database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
}

test('deletes personal projects and their repositories, also those marked for deletion', async () => {
  const mira = await user();
  const [plain, moved, marked] = [
    await newProject({ owner: mira, readme: true }),
    await newProject({ owner: mira, readme: true }),
    await newProject({ owner: mira, readme: true }),
  ];
  assert.equal((await mira.put(`/projects/${moved.id}`, { path: name('new') })).status, 200);
  assert.equal((await mira.delete(`/projects/${marked.id}`)).status, 202);
  const ids = [plain.id, moved.id, marked.id];
  const repositories = (await Promise.all(ids.map(findRepository))).map((place) => getRepository(git, place));
  for (const repository of repositories) assert.equal(await repositoryExists(repository), true);
  await deleteUser(mira);
  await runJobs();
  const gone = [...ids, ...[plain, moved].map(({ path_with_namespace: path }) => encodeURIComponent(path))];
  assert.deepEqual(
    await statuses(...gone.map((id) => `/projects/${id}`)),
    gone.map(() => 404),
  );
  for (const repository of repositories) assert.equal(await repositoryExists(repository), false);
});

test('deletes the personal namespace and frees its path', async () => {
  const mira = await user();
  await newProject({ owner: mira });
  assert.deepEqual(await statuses(`/namespaces/${mira.username}`), [200]);
  await deleteUser(mira);
  await runJobs();
  assert.deepEqual(await statuses(`/namespaces/${mira.username}`), [404]);
  await newGroup({ owner: root, path: mira.username });
});

test('records who deleted what', async () => {
  const mira = await user();
  const project = await newProject({ owner: mira });
  const mark = await markRecordedEvents(database.reader);
  await deleteUser(mira);
  await runJobs();
  assert.deepEqual(await listRecordedSince(database.reader, mark), ['user_destroyed', 'project_destroyed']);
  const params = { entity_type: 'Gitlab::Audit::InstanceScope' };
  const [event] = (await root.get('/audit_events', params)).body;
  const { author_id, event_name, details } = event;
  assert.deepEqual([author_id, event_name, details.target_id], [1, 'project_destroyed', project.id]);
  assert.deepEqual([details.author_name, details.ip_address], ['Administrator', '127.0.0.1']);
});

test('ends memberships in groups and projects and keeps other members', async () => {
  const [mira, otto] = [await user(), await user()];
  const group = await newGroup({ owner: otto });
  const project = await newProject({ owner: otto });
  for (const place of [group, project]) await place.addMember('maintainer', mira);
  await deleteUser(mira);
  await runJobs();
  for (const at of [group.at, project.at]) {
    const ids = (await root.get(`${at}/members`)).body.map(({ id }: Caller) => id);
    assert.deepEqual(ids, [otto.id]);
  }
});

test('deletes activity of the user and keeps that of others', async () => {
  const [mira, otto] = [await user(), await user()];
  const project = await newProject({ owner: otto, readme: true });
  await project.addMember('maintainer', mira);
  for (const by of [mira, otto]) {
    await createResource(by, `${project.repository}/branches`, { branch: name('branch'), ref: 'main' });
  }
  const authors = async () => {
    const rows = database.reader.selectFrom('activity_events').select('author_id').where('project_id', '=', project.id);
    return (await rows.orderBy('id').execute()).map(({ author_id }) => author_id);
  };
  assert.deepEqual(await authors(), [otto.id, otto.id, mira.id, mira.id, otto.id]);
  await deleteUser(mira);
  await runJobs();
  assert.deepEqual(await authors(), [otto.id, otto.id, otto.id]);
});

test('keeps projects that the user created elsewhere, without a creator', async () => {
  const [mira, otto, member] = [await user(), await user(), await user()];
  await root.put(`/users/${mira.id}`, { admin: true });
  const group = await newGroup({ owner: otto });
  const at = group.at;
  await expectSuccess(root.post(`${at}/members`, { user_id: mira.id, access_level: 50 }));
  await expectSuccess(mira.post(`${at}/members`, { user_id: member.id, access_level: 30 }));
  const project = await newProject({ owner: mira, in: group, readme: true });
  const username = name('created');
  const account = { username, name: 'Created', email: `${username}@x.test`, force_random_password: true };
  const created = await createResource(mira, '/users', account);
  const makers = async () => {
    const rows = database.reader.selectFrom('memberships').select('created_by_id').where('source_id', '=', group.id);
    return (await rows.where('source_type', '=', 'group').orderBy('id').execute()).map((row) => row.created_by_id);
  };
  assert.deepEqual(
    [project.creator_id, created.created_by.id, await makers()],
    [mira.id, mira.id, [otto.id, 1, mira.id]],
  );
  // Neither mode deletes content shared with others.
  await deleteUser(mira, { hard_delete: true });
  await runJobs();
  assert.equal((await root.get(project.at)).body.creator_id, null);
  assert.equal((await root.get(`/users/${created.id}`)).body.created_by, null);
  assert.deepEqual(await makers(), [otto.id, null]);
  assert.deepEqual(await statuses(`${project.repository}/branches/main`, at), [200, 200]);
});

test('removes the user from protected branches, which stay', async () => {
  const [mira, otto] = [await user(), await user()];
  const project = await newProject({ owner: otto, readme: true });
  await project.addMember('maintainer', mira);
  const rules = `${project.at}/protected_branches`;
  const rule = { name: 'stable', allowed_to_push: [{ user_id: mira.id }, { access_level: 40 }] };
  const before = await createResource(otto, rules, rule);
  assert.equal(before.push_access_levels.length, 2);
  await deleteUser(mira);
  await runJobs();
  const { push_access_levels: left } = (await otto.get(`${rules}/stable`)).body;
  assert.deepEqual(
    left.map(({ user_id, access_level }: Record<string, number | null>) => [user_id, access_level]),
    [[null, 40]],
  );
});

test('settles a ref update of a deleted user without an author', async () => {
  const [mira, otto] = [await user(), await user()];
  const project = await newProject({ owner: otto, readme: true });
  const main = (await otto.get(`${project.repository}/branches/main`)).body.commit.id;
  const changes = [{ ref: 'refs/heads/late', oldId: ZERO_ID, newId: main }];
  const at = await database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const begun = { owner: { projectId: project.id }, location: at, changes };
  const intent = await database.transaction((tx) => createIntent(tx, begun, { server: true, userId: mira.id }));
  assert.ok(!isFailure(intent));
  await deleteUser(mira);
  await runJobs();
  const mark = await markRecordedEvents(database.reader);
  await completeIntent(server.services, intent, changes);
  assert.deepEqual(await listRecordedSince(database.reader, mark), []);
  await runJobs();
});

test('keeps a group with another Owner even with hard_delete', async () => {
  const [mira, otto] = [await user(), await user()];
  const [first, second] = [await newGroup({ owner: mira }), await newGroup({ owner: otto })];
  await first.addMember('owner', otto);
  const below = await newGroup({ owner: otto, in: second });
  await below.addMember('owner', mira);
  const project = await newProject({ owner: mira, in: first });
  await deleteUser(mira, { hard_delete: true });
  await runJobs();
  const paths = [`/groups/${first.id}`, `/groups/${second.id}`, below.at, project.at];
  assert.deepEqual(await statuses(...paths), [200, 200, 200, 200]);
});

test('destroys groups without another Owner with hard_delete', async () => {
  const [mira, otto] = [await user(), await user()];
  const top = await newGroup({ owner: mira });
  const low = await newGroup({ in: top });
  await low.addMember('owner', otto);
  const other = await newGroup({ owner: mira });
  const projects = [await newProject({ in: top, readme: true }), await newProject({ in: low, readme: true })];
  const repositories = (await Promise.all(projects.map(({ id }) => findRepository(id)))).map((at) =>
    getRepository(git, at),
  );
  const mark = await markRecordedEvents(database.reader);
  await deleteUser(mira, { hard_delete: true });
  await runJobs();
  assert.deepEqual(
    await statuses(
      ...[top, low, other].map(({ id }) => `/groups/${id}`),
      ...projects.map(({ id }) => `/projects/${id}`),
    ),
    [404, 404, 404, 404, 404],
  );
  for (const repository of repositories) assert.equal(await repositoryExists(repository), false);
  const destroyed = ['project_destroyed', 'project_destroyed', 'group_destroyed', 'group_destroyed', 'group_destroyed'];
  assert.deepEqual(await listRecordedSince(database.reader, mark), ['user_destroyed', ...destroyed]);
  await newGroup({ owner: otto, path: top.path });
});

test('keeps a group that gets another Owner before the job runs', async () => {
  const [mira, otto] = [await user(), await user()];
  const group = await newGroup({ owner: mira });
  const project = await newProject({ in: group });
  await deleteUser(mira, { hard_delete: true });
  await expectSuccess(root.post(`${group.at}/members`, { user_id: otto.id, access_level: 50 }));
  await runJobs();
  assert.deepEqual(await statuses(group.at, project.at), [200, 200]);
  const [only, ...others] = (await otto.get(`${group.at}/members`)).body;
  assert.deepEqual([only.id, others], [otto.id, []]);
});
