import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getRepositoryAt } from '#git/git.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { type Caller, type Project, world } from '#test/support/world.ts';

const { root, anonymous, user, server, newProject, runJobs } = await world();

const input = { title: 'Deploy', file_name: 'deploy.sh', content: 'run\n', visibility: 'public' };

async function createSnippet({ owner, at }: Project, params = {}): Promise<{ id: number; path: string }> {
  const { status, body } = await owner.post(`${at}/snippets`, { ...input, ...params });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, path: `${at}/snippets/${body.id}` };
}

const idsFor = async (caller: Caller, path: string): Promise<number[]> =>
  (await caller.get(path, { per_page: 100 })).body.map(({ id }: { id: number }) => id);

test('creates a snippet of the project, with addresses below the project', async () => {
  const project = await newProject();
  const reporter = await project.addMember('reporter');
  const { status, body } = await reporter.post(`${project.at}/snippets`, { ...input, description: 'd' });
  assert.equal(status, 201);
  const at = `${server.address}/${project.path_with_namespace}`;
  assert.equal(body.project_id, project.id);
  assert.equal(body.web_url, `${at}/-/snippets/${body.id}`);
  assert.equal(body.http_url_to_repo, `${at}/snippets/${body.id}.git`);
  assert.equal(body.ssh_url_to_repo, `git@127.0.0.1:${project.path_with_namespace}/snippets/${body.id}.git`);
  assert.deepEqual(body.files, [{ path: 'deploy.sh', raw_url: `${body.web_url}/raw/main/deploy.sh` }]);
  assert.deepEqual((await reporter.get(`${project.at}/snippets/${body.id}`)).body, body);
  assert.deepEqual((await reporter.get(`/snippets/${body.id}`)).body, body);
  assert.deepEqual(await idsFor(reporter, `${project.at}/snippets`), [body.id]);
});

test('rejects invalid snippets of a project', async () => {
  const { owner, at } = await newProject();
  const errorOf = async (params: object) => (await owner.post(`${at}/snippets`, { ...input, ...params })).body.error;
  assert.equal(
    (await owner.post(`${at}/snippets`, { title: 'a', content: 'a' })).body.error,
    'visibility is missing, visibility does not have a valid value, file_name is missing',
  );
  assert.equal(await errorOf({ title: ' ' }), 'title is empty');
  assert.equal(await errorOf({ files: [{ file_path: 'a', content: 'a' }] }), 'files, content are mutually exclusive');
  const files = Array.from({ length: 11 }, (_, number) => ({ file_path: `f${number}`, content: 'a' }));
  const { status, body } = await owner.post(`${at}/snippets`, { title: 'a', visibility: 'private', files });
  assert.deepEqual([status, body.message], [400, { error: 'The repository can contain at most 10 file(s).' }]);
  assert.deepEqual(await idsFor(owner, `${at}/snippets`), []);
});

test('shows private snippets to members and the author, internal ones to signed-in users, public ones to all', async () => {
  const project = await newProject({ visibility: 'public' });
  const [guest, stranger, external] = [await project.addMember('guest'), await user(), await user()];
  await root.put(`/users/${external.id}`, { external: true });
  const callers = [guest, root, stranger, external, anonymous];
  const statuses = {
    private: [200, 200, 404, 404, 404],
    internal: [200, 200, 200, 404, 404],
    public: Array(5).fill(200),
  };
  for (const [visibility, expected] of Object.entries(statuses)) {
    const { id, path } = await createSnippet(project, { visibility });
    for (const url of [path, `${path}/raw`, `${path}/files/main/deploy.sh/raw`, `/snippets/${id}`]) {
      const actual = [];
      for (const caller of callers) actual.push((await caller.get(url)).status);
      assert.deepEqual(actual, expected, `${visibility} ${url}`);
    }
    const isListed = async (caller: Caller, url: string) => (await idsFor(caller, url)).includes(id);
    for (const [index, caller] of callers.slice(0, 4).entries()) {
      assert.equal(await isListed(caller, `${project.at}/snippets`), expected[index] === 200);
      assert.equal(await isListed(caller, '/snippets/all'), expected[index] === 200, `${visibility} ${index}`);
    }
  }
  assert.equal((await anonymous.get(`${project.at}/snippets`)).status, 401);
});

test('answers 404 with different texts for the snippet itself and for everything else', async () => {
  const { owner, at } = await newProject();
  const { id } = await createSnippet(await newProject({ visibility: 'public' }));
  assert.deepEqual((await owner.get(`${at}/snippets/${id}`)).body, { message: '404 Not found' });
  for (const response of [
    await owner.get(`${at}/snippets/${id}/raw`),
    await owner.put(`${at}/snippets/${id}`, { title: 'a' }),
    await owner.delete(`${at}/snippets/${id}`),
  ]) {
    assert.deepEqual([response.status, response.body], [404, { message: '404 Snippet Not Found' }]);
  }
});

test('only Reporters create snippets; the author, Maintainers and administrators change them', async () => {
  const project = await newProject({ visibility: 'public' });
  const [guest, reporter] = [await project.addMember('guest'), await project.addMember('reporter')];
  const [developer, maintainer] = [await project.addMember('developer'), await project.addMember('maintainer')];
  assert.equal((await guest.post(`${project.at}/snippets`, input)).status, 403);
  const own = (await reporter.post(`${project.at}/snippets`, input)).body.id;
  const path = `${project.at}/snippets/${own}`;
  for (const [caller, status] of [
    [guest, 403],
    [developer, 403],
    [reporter, 200],
    [maintainer, 200],
    [root, 200],
  ] as const)
    assert.equal((await caller.put(path, { title: 'a' })).status, status);
  assert.equal((await developer.delete(path)).status, 403);
  assert.equal((await reporter.delete(path)).status, 204);
  assert.equal((await reporter.get(path)).status, 404);
});

test('a disabled feature answers 403, and an archived project is read-only', async () => {
  const project = await newProject({ visibility: 'public' });
  const { id, path } = await createSnippet(project);
  await project.owner.post(`${project.at}/archive`);
  assert.equal((await project.owner.get(path)).status, 200);
  for (const response of [
    await project.owner.post(`${project.at}/snippets`, input),
    await project.owner.put(path, { title: 'a' }),
    await root.delete(path),
  ])
    assert.equal(response.status, 403);
  await project.owner.post(`${project.at}/unarchive`);
  assert.equal((await project.owner.put(project.at, { snippets_access_level: 'disabled' })).status, 200);
  for (const caller of [project.owner, root]) {
    assert.equal((await caller.get(`${project.at}/snippets`)).status, 403);
    assert.equal((await caller.get(path)).status, 403);
    assert.equal((await caller.get(`/snippets/${id}`)).status, 404);
    assert.equal((await idsFor(caller, '/snippets/all')).includes(id), false);
  }
  await project.owner.put(project.at, { snippets_access_level: 'private' });
  assert.equal((await (await user()).get(path)).status, 403);
  assert.equal((await project.owner.get(path)).status, 200);
});

test('lists personal public snippets by time, without those of projects', async () => {
  const author = await user();
  const { body: open } = await author.post('/snippets', { title: 'a', content: 'a', visibility: 'public' });
  const { body: hidden } = await author.post('/snippets', { title: 'a', content: 'a', visibility: 'internal' });
  const { id } = await createSnippet(await newProject({ visibility: 'public' }));
  const ids = (await idsFor(await user(), '/snippets/public')).filter((listed) =>
    [open.id, hidden.id, id].includes(listed),
  );
  assert.deepEqual(ids, [open.id]);
  const future = '2099-01-01T00:00:00Z';
  for (const path of ['/snippets/public', '/snippets/all'])
    assert.deepEqual((await author.get(path, { created_after: future })).body, []);
  assert.equal((await anonymous.get('/snippets/public')).status, 401);
});

test('lists the own snippets of the caller with those in projects that they can see', async () => {
  const project = await newProject();
  const author = await project.addMember('reporter');
  const { body: own } = await author.post(`${project.at}/snippets`, input);
  await createSnippet(project);
  assert.deepEqual(await idsFor(author, '/snippets'), [own.id]);
  await project.owner.delete(`${project.at}/members/${author.id}`);
  assert.deepEqual(await idsFor(author, '/snippets'), []);
});

test('counts the sizes of snippets, and deletes them with their project', async () => {
  const project = await newProject();
  const { id } = await createSnippet(project);
  const statistics = (await project.owner.get(project.at, { statistics: true })).body.statistics;
  assert.ok(statistics.snippets_size > 0 && statistics.storage_size >= statistics.snippets_size);
  const { database, git } = server.services;
  const row = await database.reader.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
  const permanently = { permanently_remove: true, full_path: project.path_with_namespace };
  await project.owner.delete(project.at);
  const { body } = await root.get(`/projects/${project.id}`);
  await root.delete(`/projects/${project.id}`, { ...permanently, full_path: body.path_with_namespace });
  await runJobs();
  const rows = database.reader.selectFrom('snippets').select('id').where('project_id', '=', project.id);
  assert.deepEqual(await rows.execute(), []);
  assert.equal(await repositoryExists(getRepositoryAt(git, row!.storage, row!.disk_path)), false);
});
