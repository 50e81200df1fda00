import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listRefs } from '#git/refs/refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Caller, done, type Project, type World, world } from '#test/support/world.ts';
import { fakeSource, importOf, type Said, sayProject } from './fake-source.testing.ts';

const here = await world();
const there = await world({ env: { HEARTH_SITE_NAME: 'source' } });
await here.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true });

const REFS = '/acme/api.git/info/refs';

/** What becomes of a project whose repository is so. */
async function imported(t: TestContext, ...said: readonly Said[]) {
  const source = await fakeSource(t);
  sayProject(source, 'acme/api', 8);
  source.say(REFS, ...said);
  const { owner, path } = await here.newGroup();
  const wish = { source_type: 'project_entity', destination_namespace: path };
  const { id } = (await done(owner.post('/bulk_imports', importOf(source, 'acme/api', 'api', wish)))).body;
  await here.work();
  const entity = async () => (await owner.get(`/bulk_imports/${id}/entities`)).body[0];
  return { source, entity, asked: () => source.asked.filter((one) => one.path.startsWith(REFS)) };
}

const texts = ({ failures }: { failures: { relation: string; exception_message: string }[] }) =>
  failures.map(({ relation, exception_message }) => [relation, exception_message]);

async function isReadOnly(projectId: number): Promise<boolean> {
  const found = here.server.services.database.reader
    .selectFrom('repositories')
    .select('read_only')
    .where('project_id', '=', projectId);
  return (await found.executeTakeFirstOrThrow()).read_only;
}

test('a project without its repository has failed, and can be pushed to', async (t) => {
  const { entity, asked, source } = await imported(t, { status: 404 });
  const failed = await entity();
  assert.deepEqual(texts(failed), [['repository', 'Unsuccessful response 404 from the repository']]);
  assert.equal(failed.status, 'failed');
  assert.equal(await isReadOnly(failed.project_id), false);
  assert.equal(
    source.asked.some(({ path }) => path.startsWith('/projects/8/labels')),
    false,
  );
  assert.equal(
    asked()[0]?.headers.authorization,
    `Basic ${Buffer.from('oauth2:sesame-of-the-source').toString('base64')}`,
  );
});

test('git is led to no address that is blocked', async (t) => {
  const blocked = await imported(t, { status: 302, headers: { location: 'ftp://src.example/' } });
  const failed = await blocked.entity();
  assert.deepEqual(texts(failed), [['repository', 'URL is blocked: Only allowed schemes are http, https']]);
});

test('another server that git is led to does not learn the token', async (t) => {
  const elsewhere = await fakeSource(t);
  elsewhere.say('/other.git/info/refs', { body: 'no repository' });
  const location = `${elsewhere.url}/other.git/info/refs?service=git-upload-pack`;
  await imported(t, { status: 302, headers: { location } });
  assert.ok(elsewhere.asked.length >= 2);
  for (const { headers } of elsewhere.asked) assert.equal(headers.authorization, undefined);
});

test('a repository that is not to be had now is read-only until it is, and asked for again', async (t) => {
  const { entity, asked } = await imported(t, { status: 503 });
  assert.equal(await isReadOnly((await entity()).project_id), true);
  for (const [seconds, times] of [
    [1, 2],
    [1, 2],
    [1, 3],
  ] as const) {
    here.clock.advance(seconds);
    await here.work();
    assert.equal(asked().length, times);
  }
});

test('a repository of a source that is asked too often is asked for when the source wants it', async (t) => {
  const { asked } = await imported(t, { status: 429, headers: { 'retry-after': '7' } });
  for (const [seconds, times] of [
    [6, 1],
    [1, 2],
  ] as const) {
    here.clock.advance(seconds);
    await here.work();
    assert.equal(asked().length, times);
  }
});

async function refsOf({ server }: World, by: Caller, { id }: { id: number }) {
  const row = await server.services.database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', id)
    .executeTakeFirstOrThrow();
  const refs = await listRefs(server.services.git, getRepository(server.services.git, row), 'refs/');
  return {
    refs: refs.map(({ name, id: at }) => [name, at]),
    shown: (await by.get(`/projects/${id}`)).body.default_branch,
  };
}

/** A merge request with a branch, a tag and a note, and refs that the server keeps for itself. */
async function filled(owner: Caller): Promise<Project> {
  const project = await there.newProject({ owner, readme: true, default_branch: 'trunk' });
  await project.commit({ 'a.txt': 'a' }, { branch: 'feature' });
  await done(owner.post(`${project.repository}/tags`, { tag_name: 'v1', ref: 'feature' }));
  const wish = { source_branch: 'feature', target_branch: 'trunk', title: 'Merge' };
  await done(owner.post(`${project.at}/merge_requests`, wish));
  await there.work();
  return project;
}

/** Imports a project of this owner into a new group: what became of it, and the group's owner. */
async function broughtHere(source: Caller, project: Project, url = there.server.address) {
  const { owner, path } = await here.newGroup();
  const wish = { source_type: 'project_entity', destination_namespace: path };
  const wanted = importOf({ url }, `${source.username}/${project.path}`, 'api', wish);
  const configuration = { url, access_token: source.token };
  const { id } = (await done(owner.post('/bulk_imports', { ...wanted, configuration }))).body;
  await here.work();
  const [entity] = (await owner.get(`/bulk_imports/${id}/entities`)).body;
  return { owner, entity };
}

test('all branches, tags and heads of merge requests come, by the name of their server too, and nothing else', async () => {
  const source = await there.user();
  const project = await filled(source);
  const url = there.server.address.replace('127.0.0.1', 'localhost');
  const { owner, entity } = await broughtHere(source, project, url);
  assert.deepEqual([entity.status, texts(entity)], ['finished', []]);
  const is = await refsOf(here, owner, { id: entity.project_id });
  const was = await refsOf(there, source, project);
  const kept = ([name]: unknown[]) => /^refs\/(heads|tags|merge-requests\/1\/head)/.test(String(name));
  assert.deepEqual(is, { ...was, refs: was.refs.filter(kept) });
  assert.equal(is.refs.length, 4);
  assert.equal(await isReadOnly(entity.project_id), false);
});

test('a project into which nothing was ever pushed comes without a repository', async () => {
  const source = await there.user();
  const project = await there.newProject({ owner: source, default_branch: 'trunk' });
  const { owner, entity } = await broughtHere(source, project);
  assert.deepEqual([entity.status, texts(entity)], ['finished', []]);
  assert.equal((await owner.get(`/projects/${entity.project_id}`)).body.empty_repo, true);
  assert.equal(await isReadOnly(entity.project_id), false);
});

for (const [what, refs] of [
  ['fails', [{ status: 503 }, { status: 404 }]],
  ['goes on', [{ status: 503 }, { status: 503 }]],
] as const) {
  test(`a move to another storage keeps what it has closed while an import ${what}`, async (t) => {
    const { entity, asked } = await imported(t, ...refs);
    const { project_id: id } = await entity();
    const repositories = here.server.services.database.reader.selectFrom('repositories').where('project_id', '=', id);
    const now = () => repositories.select(['read_only', 'move_id']).executeTakeFirstOrThrow();
    await done(here.root.put(`/projects/${id}`, { repository_read_only: false }));
    const move = (await done(here.root.post(`/projects/${id}/repository_storage_moves`))).body;
    await here.server.services.database.transaction((tx) =>
      tx.deleteFrom('background_jobs').where('kind', '=', 'move_next_repository').execute(),
    );
    here.clock.advance(1);
    await here.work();
    assert.deepEqual([await now(), asked().length], [{ read_only: true, move_id: move.id }, 1]);
    here.clock.advance(600);
    await here.work();
    here.clock.advance(30);
    await here.work();
    assert.deepEqual([(await now()).move_id, asked().length], [null, 2]);
  });
}

test('of a repository whose history is cut off nothing is here', async () => {
  const source = await there.user();
  const project = await filled(source);
  const { git } = there.server.services;
  const row = await there.server.services.database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const [tip] = await listRefs(git, getRepository(git, row), 'refs/heads/feature');
  await writeFile(join(getRepository(git, row).directory, 'shallow'), `${tip!.id}\n`);
  const { owner, entity } = await broughtHere(source, project);
  assert.deepEqual(texts(entity), [['repository', 'The history of the repository is not whole']]);
  assert.deepEqual((await refsOf(here, owner, { id: entity.project_id })).refs, []);
  assert.equal(await isReadOnly(entity.project_id), false);
});

test('a server copies from itself although it may ask no other that is so near', async () => {
  const group = await there.newGroup();
  await done(group.owner.post(`${group.at}/labels`, { name: 'own', color: 'red' }));
  const slug = there.name('again');
  const { url, ...wanted } = { url: there.server.address, ...importOf({ url: '' }, group.path, slug) };
  const configuration = { url, access_token: group.owner.token };
  await done(group.owner.post('/bulk_imports', { ...wanted, configuration }));
  await there.work();
  assert.equal((await group.owner.get(`/groups/${slug}/labels`)).body[0].name, 'own');
});

test('a group comes with its subgroups and projects, their history and what is planned in them', async () => {
  const { owner, ...acme } = await there.newGroup();
  const tools = await there.newGroup({ in: { ...acme, owner } });
  const api = await there.newProject({ in: { ...tools, owner }, readme: true });
  await done(owner.post(`${acme.at}/labels`, { name: 'bug', color: 'red', description: 'Broken' }));
  await done(owner.post(`${acme.at}/milestones`, { title: 'First' }));
  await done(owner.post(`${api.repository}/branches`, { branch: 'feature', ref: 'main' }));
  await done(owner.post(`${api.repository}/tags`, { tag_name: 'v1', ref: 'main' }));
  const issue = await done(owner.post(`${api.at}/issues`, { title: 'Crash', labels: 'bug', description: 'Of course' }));
  await done(owner.post(`${api.at}/issues/${issue.body.iid}/notes`, { body: 'Indeed' }));
  await done(owner.put(`${api.at}/issues/${issue.body.iid}`, { state_event: 'close' }));
  await there.work();
  const user = await here.user();
  const slug = here.name('Moved');
  const wanted = importOf({ url: there.server.address }, acme.path, slug);
  const configuration = { url: there.server.address, access_token: owner.token };
  const { id } = (await done(user.post('/bulk_imports', { ...wanted, configuration }))).body;
  await here.work();
  const { body: entities } = await user.get(`/bulk_imports/${id}/entities?sort=asc`);
  const path = slug.toLowerCase();
  assert.deepEqual(
    entities.map((entity: Record<string, unknown>) => [
      entity.entity_type,
      entity.status,
      entity.destination_full_path,
      entity.failures,
    ]),
    [
      ['group', 'finished', path, []],
      ['group', 'finished', `${path}/${tools.path}`, []],
      ['project', 'finished', `${path}/${tools.path}/${api.path}`, []],
    ],
  );
  assert.deepEqual(
    entities.map((entity: Record<string, unknown>) => entity.parent_id),
    [null, entities[0].id, entities[1].id],
  );
  const { status, has_failures } = (await user.get(`/bulk_imports/${id}`)).body;
  assert.deepEqual([status, has_failures], ['finished', false]);
  const at = `/projects/${entities[2].project_id}`;
  const [copied] = (await user.get(`${at}/issues`)).body;
  assert.deepEqual(
    [copied.iid, copied.title, copied.labels, copied.state],
    [issue.body.iid, 'Crash', ['bug'], 'closed'],
  );
  for (const list of ['branches', 'tags']) {
    const named = async (answer: ReturnType<typeof user.get>) =>
      (await answer).body.map(({ name, commit }: { name: string; commit: { id: string } }) => [name, commit.id]);
    const refs = await named(owner.get(`${api.repository}/${list}`));
    assert.deepEqual(await named(user.get(`${at}/repository/${list}`)), refs);
  }
});
