import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { type Caller, type Project, world } from '#test/support/world.ts';

// A git-lfs client that locks files (contract/repository.md §5 "LFS locks").

const { anonymous, user, tokenOf, newProject, withToken, root, runJobs, server } = await world();

const withoutToken = withToken(anonymous, null);

async function request(caller: Caller, project: Project, method: string, path: string, body?: object) {
  const url = `//${project.path_with_namespace}.git/info/lfs/locks${path}`;
  const headers = {
    Accept: 'application/vnd.git-lfs+json',
    'Content-Type': 'application/vnd.git-lfs+json',
    ...(caller.token === null ? {} : basic(caller)),
  };
  const response = await withoutToken.send(method, url, {
    headers,
    ...(body !== undefined && { raw: JSON.stringify(body) }),
  });
  const isJson = response.headers['content-type']?.startsWith('application/vnd.git-lfs+json') === true;
  return { status: response.status, body: isJson ? JSON.parse(response.text) : response.text };
}

const nameOf = async (caller: Caller) => (await caller.get('/user')).body.name;
const lock = (caller: Caller, project: Project, path: unknown) => request(caller, project, 'POST', '', { path });
const list = async (caller: Caller, project: Project, query = '') =>
  (await request(caller, project, 'GET', query)).body.locks.map(({ path }: { path: string }) => path);
const unlock = (caller: Caller, project: Project, id: string, body: object = {}) =>
  request(caller, project, 'POST', `/${id}/unlock`, body);

test('locks a path once, and names the existing lock to the second caller', async () => {
  const project = await newProject({ with: ['developer'] });
  const { owner, developer } = project;
  const { status, body } = await lock(developer, project, 'art/boss.psd');
  const { id, locked_at, ...rest } = body.lock;
  assert.deepEqual([status, rest], [201, { path: 'art/boss.psd', owner: { name: await nameOf(developer) } }]);
  assert.match(id, /^\d+$/);
  assert.match(locked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  const second = await lock(owner, project, 'art/boss.psd');
  assert.deepEqual([second.status, second.body.lock, second.body.message], [409, body.lock, 'already locked']);
  assert.equal((await lock(owner, project, 'art/BOSS.psd')).status, 201);
});

test('rejects paths that no file can have, and bodies that are no JSON object', async () => {
  const project = await newProject();
  for (const path of ['', '/a', 'a//b', '../a', 'a/./b', 'a\0', 'x'.repeat(512), 7, null, undefined])
    assert.equal((await lock(project.owner, project, path)).status, 422, String(path));
  assert.equal((await request(project.owner, project, 'POST', '', [])).status, 422);
  assert.deepEqual(await list(project.owner, project), []);
});

test('lists locks by path and id, in pages', async () => {
  const project = await newProject();
  const { owner } = project;
  const ids: string[] = [];
  for (const path of ['a', 'b', 'c']) ids.push((await lock(owner, project, path)).body.lock.id);
  assert.deepEqual(await list(owner, project), ['a', 'b', 'c']);
  assert.deepEqual(await list(owner, project, '?path=b'), ['b']);
  assert.deepEqual(await list(owner, project, `?id=${ids[2]}`), ['c']);
  assert.deepEqual(await list(owner, project, '?id=none'), []);
  const first = (await request(owner, project, 'GET', '?limit=2')).body;
  assert.deepEqual([first.locks.length, first.next_cursor], [2, ids[2]]);
  assert.deepEqual(await list(owner, project, `?limit=2&cursor=${first.next_cursor}`), ['c']);
});

test('separates own locks from those of others', async () => {
  const project = await newProject({ with: ['developer'] });
  await lock(project.owner, project, 'theirs');
  await lock(project.developer, project, 'ours');
  const { status, body } = await request(project.developer, project, 'POST', '/verify', {
    ref: { name: 'refs/heads/a' },
  });
  const paths = (locks: readonly { readonly path: string }[]) => locks.map(({ path }) => path);
  assert.deepEqual([status, paths(body.ours), paths(body.theirs)], [200, ['ours'], ['theirs']]);
  const page = (await request(project.owner, project, 'POST', '/verify', { limit: 1 })).body;
  const rest = (await request(project.owner, project, 'POST', '/verify', { cursor: page.next_cursor })).body;
  assert.deepEqual([paths(page.ours), paths(rest.theirs)], [['theirs'], ['ours']]);
});

test('the owner deletes a lock, and with force a Maintainer', async () => {
  const project = await newProject({ with: ['developer', 'maintainer'] });
  const { owner, developer, maintainer } = project;
  const { id } = (await lock(owner, project, 'a')).body.lock;
  assert.deepEqual((await unlock(developer, project, id)).body, { message: `a is locked by ${await nameOf(owner)}` });
  for (const [caller, force] of [
    [developer, false],
    [developer, true],
    [maintainer, false],
  ] as const)
    assert.equal((await unlock(caller, project, id, { force })).status, 403);
  const forced = await unlock(maintainer, project, id, { force: true });
  assert.deepEqual([forced.status, forced.body.lock.path], [200, 'a']);
  assert.equal((await unlock(maintainer, project, id, { force: true })).status, 404);
  const own = (await lock(developer, project, 'a')).body.lock.id;
  assert.equal((await unlock(developer, project, own)).status, 200);
  assert.deepEqual(await list(owner, project), []);
});

test('reading locks needs read access, everything else push access', async () => {
  const project = await newProject({ with: ['guest', 'reporter', 'developer'] });
  const { guest, reporter, developer } = project;
  const statuses = async (caller: Caller) => [
    (await request(caller, project, 'GET', '')).status,
    (await request(caller, project, 'POST', '/verify', {})).status,
    (await lock(caller, project, `by ${caller.id}`)).status,
    (await unlock(caller, project, '1')).status,
  ];
  assert.deepEqual(await statuses(withoutToken), [401, 401, 401, 401]);
  assert.deepEqual(await statuses(await user()), [404, 404, 404, 404]);
  assert.deepEqual(await statuses(guest), [403, 403, 403, 403]);
  assert.deepEqual(await statuses(reporter), [200, 403, 403, 403]);
  assert.deepEqual(await statuses(developer), [200, 200, 201, 404]);
  assert.deepEqual(await statuses(await tokenOf(developer, ['read_repository'])), [200, 403, 403, 403]);
});

test('another project knows nothing of a lock; without LFS there are no locks', async () => {
  const [project, other] = [await newProject(), await newProject()];
  const { id } = (await lock(project.owner, project, 'a')).body.lock;
  assert.equal((await unlock(other.owner, other, id, { force: true })).status, 404);
  assert.deepEqual(await list(other.owner, other), []);
  await project.owner.put(project.at, { lfs_enabled: false });
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/verify'],
    ['POST', ''],
  ] as const)
    assert.equal((await request(project.owner, project, method, path, method === 'GET' ? undefined : {})).status, 404);
});

test('locks are deleted with their project and with their owner', async () => {
  const project = await newProject({ with: ['developer'] });
  await lock(project.owner, project, 'a');
  await lock(project.developer, project, 'b');
  await root.delete(`/users/${project.developer.id}`, { hard_delete: true });
  await runJobs();
  assert.deepEqual(await list(project.owner, project), ['a']);
  await project.owner.delete(project.at);
  const { path_with_namespace: full_path } = (await root.get(`/projects/${project.id}`)).body;
  await root.delete(`/projects/${project.id}`, { permanently_remove: true, full_path });
  await runJobs();
  const rows = server.services.database.reader.selectFrom('lfs_locks').select('id');
  assert.deepEqual(await rows.where('project_id', '=', project.id).execute(), []);
});
