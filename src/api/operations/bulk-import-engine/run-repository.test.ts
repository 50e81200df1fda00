import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listRefs } from '#git/refs/refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Caller, expectSuccess, type Project, type World, world } from '#test/support/world.ts';
import { buildImportInput, type FakeResponse, serveProject, startFakeSource } from './fake-source.testing.ts';

const here = await world();
const there = await world({ env: { HEARTH_SITE_NAME: 'source' } });
await here.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true });

const REFS = '/acme/api.git/info/refs';

/** Imports a project whose repository responds like this, and returns the result. */
async function importProject(t: TestContext, ...responses: readonly FakeResponse[]) {
  const source = await startFakeSource(t);
  serveProject(source, 'acme/api', 8);
  source.respond(REFS, ...responses);
  const { owner, path } = await here.newGroup();
  const overrides = { source_type: 'project_entity', destination_namespace: path };
  const { id } = (
    await expectSuccess(owner.post('/bulk_imports', buildImportInput(source, 'acme/api', 'api', overrides)))
  ).body;
  // A waiting import would take a fetch slot of later tests.
  t.after(() => owner.post(`/bulk_imports/${id}/cancel`));
  await here.runJobs();
  const entity = async () => (await owner.get(`/bulk_imports/${id}/entities`)).body[0];
  return { source, entity, gitRequests: () => source.requests.filter((one) => one.path.startsWith(REFS)) };
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

test('fails a project whose repository cannot be fetched and leaves it writable', async (t) => {
  const { entity, gitRequests, source } = await importProject(t, { status: 404 });
  const failed = await entity();
  assert.deepEqual(texts(failed), [['repository', 'Unsuccessful response 404 from the repository']]);
  assert.equal(failed.status, 'failed');
  assert.equal(await isReadOnly(failed.project_id), false);
  assert.equal(
    source.requests.some(({ path }) => path.startsWith('/projects/8/labels')),
    false,
  );
  assert.equal(
    gitRequests()[0]?.headers.authorization,
    `Basic ${Buffer.from('oauth2:sesame-of-the-source').toString('base64')}`,
  );
});

test('does not let git follow a redirect to a blocked address', async (t) => {
  const blocked = await importProject(t, { status: 302, headers: { location: 'ftp://src.example/' } });
  const failed = await blocked.entity();
  assert.deepEqual(texts(failed), [['repository', 'URL is blocked: Only allowed schemes are http, https']]);
});

test('does not send the token to another server after a redirect', async (t) => {
  const elsewhere = await startFakeSource(t);
  elsewhere.respond('/other.git/info/refs', { body: 'no repository' });
  const location = `${elsewhere.url}/other.git/info/refs?service=git-upload-pack`;
  await importProject(t, { status: 302, headers: { location } });
  assert.equal(elsewhere.requests.length, 1);
  for (const { headers } of elsewhere.requests) assert.equal(headers.authorization, undefined);
});

test('retries a temporarily unavailable repository, which is read-only until then', async (t) => {
  const { entity, gitRequests } = await importProject(t, { status: 503 });
  assert.equal(await isReadOnly((await entity()).project_id), true);
  for (const [seconds, times] of [
    [1, 2],
    [1, 2],
    [1, 3],
  ] as const) {
    here.clock.advance(seconds);
    await here.runJobs();
    assert.equal(gitRequests().length, times);
  }
});

test('retries a rate-limited repository after the requested delay', async (t) => {
  const { gitRequests } = await importProject(t, { status: 429, headers: { 'retry-after': '7' } });
  for (const [seconds, times] of [
    [6, 1],
    [1, 2],
  ] as const) {
    here.clock.advance(seconds);
    await here.runJobs();
    assert.equal(gitRequests().length, times);
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

/** Creates a merge request with a branch, a tag, a git note and internal refs. */
async function filled(owner: Caller): Promise<Project> {
  const project = await there.newProject({ owner, readme: true, default_branch: 'trunk' });
  await project.commit({ 'a.txt': 'a' }, { branch: 'feature' });
  await expectSuccess(owner.post(`${project.repository}/tags`, { tag_name: 'v1', ref: 'feature' }));
  const overrides = { source_branch: 'feature', target_branch: 'trunk', title: 'Merge' };
  await expectSuccess(owner.post(`${project.at}/merge_requests`, overrides));
  await there.runJobs();
  return project;
}

/** Imports a project of this owner into a new group. Returns the result and the owner of the group. */
async function importFromThere(source: Caller, project: Project, url = there.server.address) {
  const { owner, path } = await here.newGroup();
  const overrides = { source_type: 'project_entity', destination_namespace: path };
  const input = buildImportInput({ url }, `${source.username}/${project.path}`, 'api', overrides);
  const configuration = { url, access_token: source.token };
  const { id } = (await expectSuccess(owner.post('/bulk_imports', { ...input, configuration }))).body;
  await here.runJobs();
  const [entity] = (await owner.get(`/bulk_imports/${id}/entities`)).body;
  return { owner, entity };
}

test('imports all branches, tags and merge request heads, and no internal refs', async () => {
  const source = await there.user();
  const project = await filled(source);
  const url = there.server.address.replace('127.0.0.1', 'localhost');
  const { owner, entity } = await importFromThere(source, project, url);
  assert.deepEqual([entity.status, texts(entity)], ['finished', []]);
  const is = await refsOf(here, owner, { id: entity.project_id });
  const was = await refsOf(there, source, project);
  const kept = ([name]: unknown[]) => /^refs\/(heads|tags|merge-requests\/1\/head)/.test(String(name));
  assert.deepEqual(is, { ...was, refs: was.refs.filter(kept) });
  assert.equal(is.refs.length, 4);
  assert.equal(await isReadOnly(entity.project_id), false);
});

test('imports a project with an empty repository', async () => {
  const source = await there.user();
  const project = await there.newProject({ owner: source, default_branch: 'trunk' });
  const { owner, entity } = await importFromThere(source, project);
  assert.deepEqual([entity.status, texts(entity)], ['finished', []]);
  assert.equal((await owner.get(`/projects/${entity.project_id}`)).body.empty_repo, true);
  assert.equal(await isReadOnly(entity.project_id), false);
});

for (const [what, refs] of [
  ['fails', [{ status: 503 }, { status: 404 }]],
  ['goes on', [{ status: 503 }, { status: 503 }]],
] as const) {
  test(`a storage move keeps its repository read-only while an import ${what}`, async (t) => {
    const { entity, gitRequests } = await importProject(t, ...refs);
    const { project_id: id } = await entity();
    const repositories = here.server.services.database.reader.selectFrom('repositories').where('project_id', '=', id);
    const now = () => repositories.select(['read_only', 'move_id']).executeTakeFirstOrThrow();
    await expectSuccess(here.root.put(`/projects/${id}`, { repository_read_only: false }));
    const move = (await expectSuccess(here.root.post(`/projects/${id}/repository_storage_moves`))).body;
    await here.server.services.database.transaction((tx) =>
      tx.deleteFrom('background_jobs').where('kind', '=', 'move_next_repository').execute(),
    );
    here.clock.advance(1);
    await here.runJobs();
    assert.deepEqual([await now(), gitRequests().length], [{ read_only: true, move_id: move.id }, 1]);
    here.clock.advance(600);
    await here.runJobs();
    here.clock.advance(30);
    await here.runJobs();
    assert.deepEqual([(await now()).move_id, gitRequests().length], [null, 2]);
  });
}

test('stores nothing of a repository with an incomplete history', async () => {
  const source = await there.user();
  const project = await filled(source);
  await project.commit({ 'b.txt': 'b' }, { branch: 'feature' });
  await project.commit({ 'c.txt': 'c' }, { branch: 'feature' });
  await there.runJobs();
  const { git } = there.server.services;
  const row = await there.server.services.database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const [tip] = await listRefs(git, getRepository(git, row), 'refs/heads/feature');
  await writeFile(join(getRepository(git, row).directory, 'shallow'), `${tip!.id}\n`);
  const { owner, entity } = await importFromThere(source, project);
  assert.deepEqual(texts(entity), [['repository', 'The history of the repository is not whole']]);
  assert.deepEqual((await refsOf(here, owner, { id: entity.project_id })).refs, []);
  assert.equal(await isReadOnly(entity.project_id), false);
});

test('imports from itself although requests to other local addresses are blocked', async () => {
  const group = await there.newGroup();
  await expectSuccess(group.owner.post(`${group.at}/labels`, { name: 'own', color: 'red' }));
  const slug = there.name('again');
  const { url, ...input } = { url: there.server.address, ...buildImportInput({ url: '' }, group.path, slug) };
  const configuration = { url, access_token: group.owner.token };
  await expectSuccess(group.owner.post('/bulk_imports', { ...input, configuration }));
  await there.runJobs();
  assert.equal((await group.owner.get(`/groups/${slug}/labels`)).body[0].name, 'own');
});

test('imports a group with its subgroups, projects, repositories and planning data', async () => {
  const { owner, ...acme } = await there.newGroup();
  const tools = await there.newGroup({ in: { ...acme, owner } });
  const api = await there.newProject({ in: { ...tools, owner }, readme: true });
  await expectSuccess(owner.post(`${acme.at}/labels`, { name: 'bug', color: 'red', description: 'Broken' }));
  await expectSuccess(owner.post(`${acme.at}/milestones`, { title: 'First' }));
  await expectSuccess(owner.post(`${api.repository}/branches`, { branch: 'feature', ref: 'main' }));
  await expectSuccess(owner.post(`${api.repository}/tags`, { tag_name: 'v1', ref: 'main' }));
  const issue = await expectSuccess(
    owner.post(`${api.at}/issues`, { title: 'Crash', labels: 'bug', description: 'Of course' }),
  );
  await expectSuccess(owner.post(`${api.at}/issues/${issue.body.iid}/notes`, { body: 'Indeed' }));
  await expectSuccess(owner.put(`${api.at}/issues/${issue.body.iid}`, { state_event: 'close' }));
  await there.runJobs();
  const user = await here.user();
  const slug = here.name('Moved');
  const input = buildImportInput({ url: there.server.address }, acme.path, slug);
  const configuration = { url: there.server.address, access_token: owner.token };
  const { id } = (await expectSuccess(user.post('/bulk_imports', { ...input, configuration }))).body;
  await here.runJobs();
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
