import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { listRefs } from '#git/refs/refs.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { scheduleMovesInBatches as scheduleMoves } from './changes.ts';
import { createWorldWithStorages, pathExists } from './fixtures.testing.ts';

const { root, user, anonymous, newProject, newGroup, server, runJobs, clock, getRepositoryRow, moveAll } =
  await createWorldWithStorages();
const { git, database } = server.services;
const owner = await user();
const to = (destination_storage_name: string) => ({ destination_storage_name });

test('moves the repository with all refs and deletes the source', async () => {
  const project = await newProject({ owner, readme: true });
  await owner.post(`${project.repository}/tags`, { tag_name: 'v1', ref: 'main', message: 'one' });
  const { directory } = await getRepositoryRow(project.id);
  const before = [await listRefs(git, { directory }, 'refs/'), await computeRepositoryChecksum(git, { directory })];
  const path = `${project.at}/repository_storage_moves`;
  const { status, body } = await root.post(path, to('other'));
  assert.deepEqual([status, body.state, body.error_message], [201, 'scheduled', null]);
  assert.deepEqual([body.source_storage_name, body.destination_storage_name], ['default', 'other']);
  const { name_with_namespace, path_with_namespace } = (await root.get(project.at)).body;
  const { id, project: shown } = body;
  assert.deepEqual(
    [shown.id, shown.name_with_namespace, shown.path_with_namespace],
    [project.id, name_with_namespace, path_with_namespace],
  );
  assert.deepEqual(Object.keys(shown).sort(), [
    'created_at',
    'description',
    'id',
    'name',
    'name_with_namespace',
    'path',
    'path_with_namespace',
  ]);
  await runJobs();
  const { state, error_message } = (await root.get(`${path}/${id}`)).body;
  assert.deepEqual([state, error_message], ['replicated', null]);
  assert.equal(await pathExists(directory), true);
  clock.advance(4);
  await runJobs();
  assert.equal((await root.get(`/project_repository_storage_moves/${id}`)).body.state, 'finished');
  assert.equal(await pathExists(directory), false);
  const now = await getRepositoryRow(project.id);
  assert.deepEqual([now.storage, now.read_only, now.move_id], ['other', false, null]);
  assert.deepEqual([await listRefs(git, now, 'refs/'), await computeRepositoryChecksum(git, now)], before);
  assert.equal((await owner.get(`${project.repository}/files/README.md/raw?ref=main`)).status, 200);
  assert.deepEqual(await readdir(join(git.storages.other!, '+moves')), []);
});

test('a moved repository is writable at its new location and can move back', async () => {
  const project = await newProject({ owner, readme: true });
  const first = await getRepositoryRow(project.id);
  for (const storage of ['other', 'default']) {
    assert.equal((await root.post(`${project.at}/repository_storage_moves`, to(storage))).status, 201);
    await moveAll();
    await project.commit({ [storage]: storage });
    assert.equal((await getRepositoryRow(project.id)).storage, storage);
  }
  assert.equal((await owner.get(`${project.repository}/files/other/raw?ref=main`)).text, 'other');
  assert.equal(await pathExists(first.directory), false);
});

test('the move of an empty project changes only its row', async () => {
  const project = await newProject({ owner });
  const { body } = await root.post(`${project.at}/repository_storage_moves`, to('other'));
  await moveAll();
  assert.equal((await root.get(`/project_repository_storage_moves/${body.id}`)).body.state, 'finished');
  assert.equal((await root.get(project.at)).body.repository_storage, 'other');
  await project.commit({ a: 'a' });
  assert.equal((await getRepositoryRow(project.id)).directory.startsWith(git.storages.other!), true);
});

test('a move within a storage copies nothing; without a destination another storage is chosen', async () => {
  const project = await newProject({ owner, readme: true });
  const before = await getRepositoryRow(project.id);
  const same = await root.post(`${project.at}/repository_storage_moves`, to('default'));
  await runJobs();
  assert.equal((await root.get(`/project_repository_storage_moves/${same.body.id}`)).body.state, 'finished');
  assert.deepEqual(await getRepositoryRow(project.id), before);
  const chosen = await root.post(`${project.at}/repository_storage_moves`);
  assert.equal(chosen.body.destination_storage_name, 'other');
  await moveAll();
  assert.equal((await getRepositoryRow(project.id)).storage, 'other');
});

test('moves a snippet with its content', async () => {
  const { id } = (await owner.post('/snippets', { title: 'Moving', content: 'text' })).body;
  const { status, body } = await root.post(`/snippets/${id}/repository_storage_moves`, to('other'));
  assert.deepEqual([status, body.snippet.id, body.snippet.title], [201, id, 'Moving']);
  const second = await root.post(`/snippets/${id}/repository_storage_moves`, to('other'));
  assert.deepEqual([second.status, second.body], [400, { message: { snippet: ['is read-only'] } }]);
  assert.equal((await owner.get(`/snippets/${id}/raw`)).text, 'text');
  await moveAll();
  assert.equal((await root.get(`/snippet_repository_storage_moves/${body.id}`)).body.state, 'finished');
  assert.equal((await owner.get(`/snippets/${id}/raw`)).text, 'text');
  assert.equal((await root.get(`/snippets/${id}`)).body.repository_storage, 'other');
  assert.equal(
    (await root.get('/snippets/all?repository_storage=other')).body.some((each: { id: number }) => each.id === id),
    true,
  );
});

test('the move of a group without a wiki changes only its row', async () => {
  const group = await newGroup({ owner });
  const { status, body } = await root.post(`${group.at}/repository_storage_moves`, to('other'));
  const { web_url, name } = (await root.get(group.at)).body;
  assert.deepEqual([status, body.group], [201, { id: group.id, web_url, name }]);
  const second = await root.post(`${group.at}/repository_storage_moves`, to('other'));
  assert.deepEqual([second.status, second.body], [400, { message: { group: ['is read-only'] } }]);
  await moveAll();
  assert.equal((await root.get(`/group_repository_storage_moves/${body.id}`)).body.state, 'finished');
  assert.equal((await root.get(group.at)).body.repository_storage, 'other');
});

test('a container that is deleted during its move leaves no copy', async () => {
  const { id } = (await owner.post('/snippets', { title: 'Going', content: 'text' })).body;
  const row = await database.reader.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  await root.post(`/snippets/${id}/repository_storage_moves`, to('other'));
  assert.equal((await owner.delete(`/snippets/${id}`)).status, 204);
  await moveAll();
  assert.equal(await pathExists(join(git.storages.default!, row.disk_path)), false);
  assert.equal((await root.get(`/snippets/${id}`)).status, 404);
});

test('all 18 endpoints reject callers who are not administrators, before any other error', async () => {
  const paths = ['project', 'snippet', 'group'].flatMap((kind) => [
    `/${kind}_repository_storage_moves`,
    `/${kind}s/999999/repository_storage_moves`,
  ]);
  for (const path of paths) {
    for (const [caller, status] of [
      [anonymous, 401],
      [owner, 403],
    ] as const) {
      const answers = [await caller.get(path), await caller.get(`${path}/x`), await caller.post(path, {})];
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status, status, status],
      );
    }
  }
});

test('rejects an unknown destination and a read-only project without creating a move', async () => {
  const project = await newProject({ owner });
  const path = `${project.at}/repository_storage_moves`;
  const assertRejected = async (params: Readonly<Record<string, unknown>>, message: object) => {
    const { status, body } = await root.post(path, params);
    assert.deepEqual([status, body], [400, { message }]);
  };
  const unknown = 'is not included in the list';
  await assertRejected(to('nowhere'), { destination_storage_name: [unknown] });
  await assertRejected(to(''), { destination_storage_name: ["can't be blank", unknown] });
  await root.put(project.at, { repository_read_only: true });
  await assertRejected(to('other'), { project: ['is read-only'] });
  await root.put(project.at, { repository_read_only: false });
  assert.deepEqual((await root.get(path)).body, []);
  assert.equal((await root.post(path, to('other'))).status, 201);
  await assertRejected(to('other'), { project: ['is read-only'] });
  assert.equal((await root.get(path)).body.length, 1);
  await moveAll();
});

test('returns 404 for unknown containers and moves, and 400 for invalid ids', async () => {
  const path = (place: string) => `${place}/repository_storage_moves`;
  const getBody = async (path: string) => (await root.get(path)).body;
  assert.deepEqual(await getBody(path('/projects/999999')), { message: '404 Project Not Found' });
  assert.deepEqual(await getBody(path('/groups/999999')), { message: '404 Group Not Found' });
  assert.deepEqual(await getBody(path('/snippets/999999')), { message: '404 Snippet Not Found' });
  assert.deepEqual(await getBody(path('/snippets/x')), { error: 'id is invalid' });
  assert.deepEqual(await getBody('/project_repository_storage_moves/x'), {
    error: 'repository_storage_move_id is invalid',
  });
  assert.deepEqual(await getBody('/project_repository_storage_moves/999999'), { message: '404 Not found' });
});

test('lists the moves of the container or kind, newest first', async () => {
  const [one, two] = [await newProject({ owner }), await newProject({ owner })];
  const ids: number[] = [];
  for (const project of [one, two, one]) {
    ids.unshift((await root.post(`${project.at}/repository_storage_moves`, to('default'))).body.id);
    await runJobs();
    clock.advance(1);
  }
  const idsAt = async (path: string) => (await root.get(path)).body.map(({ id }: { id: number }) => id);
  assert.deepEqual((await idsAt('/project_repository_storage_moves')).slice(0, 3), ids);
  assert.deepEqual(await idsAt(`${one.at}/repository_storage_moves`), [ids[0], ids[2]]);
  assert.deepEqual(await idsAt(`${one.at}/repository_storage_moves?per_page=1&page=2`), [ids[2]]);
  assert.equal((await root.get(`${one.at}/repository_storage_moves/${ids[0]}`)).status, 200);
  const foreign = await root.get(`${one.at}/repository_storage_moves/${ids[1]}`);
  assert.deepEqual([foreign.status, foreign.body], [404, { message: '404 Not found' }]);
  assert.equal((await root.get(`/snippet_repository_storage_moves/${ids[0]}`)).status, 404);
});

test('a bulk move skips read-only containers, and a repeated one creates no second move', async () => {
  const bulk = (params: object) => root.post('/project_repository_storage_moves', { ...params });
  const all = { source_storage_name: 'default', destination_storage_name: 'other' };
  const assertInvalid = async (params: object, error: string) => {
    const { status, body } = await bulk(params);
    assert.deepEqual([status, body], [400, { error }]);
  };
  const invalid = 'does not have a valid value';
  await assertInvalid({}, `source_storage_name is missing, source_storage_name ${invalid}`);
  await assertInvalid({ source_storage_name: 'nowhere' }, `source_storage_name ${invalid}`);
  await assertInvalid(
    { source_storage_name: 'a', destination_storage_name: '' },
    `source_storage_name ${invalid}, destination_storage_name ${invalid}`,
  );
  const readOnlyProject = await newProject({ owner });
  const projects = [await newProject({ owner, readme: true }), await newProject({ owner })];
  await root.put(readOnlyProject.at, { repository_read_only: true });
  for (const _ of [1, 2]) {
    const { status, body } = await bulk(all);
    assert.deepEqual([status, body], [202, { message: '202 Accepted' }]);
  }
  for (const _ of [1, 2, 3]) await moveAll();
  for (const project of projects) {
    const moves = (await root.get(`${project.at}/repository_storage_moves`)).body;
    assert.deepEqual(
      moves.map((move: { state: string }) => move.state),
      ['finished'],
    );
  }
  const remaining = (await root.get('/projects?repository_storage=default')).body;
  assert.deepEqual(
    remaining.map(({ id }: { id: number }) => id),
    [readOnlyProject.id],
  );
  assert.deepEqual((await root.get(`${readOnlyProject.at}/repository_storage_moves`)).body, []);
});

test('two concurrent bulk jobs schedule one move per container, and neither fails', async () => {
  const ids = [];
  for (let at = 0; at < 3; at++) ids.push((await owner.post('/snippets', { title: 'a', content: 'a' })).body.id);
  const bulk = { kind: 'snippet', source: 'default', destination: 'other', after: 0 } as const;
  const jobs = [1, 2, 3].map(() => scheduleMoves.handle(server.services as never, bulk, {} as never));
  await Promise.all(jobs);
  for (const id of ids) {
    const moves = (await root.get(`/snippets/${id}/repository_storage_moves`)).body;
    assert.deepEqual(
      moves.map(({ state }: { state: string }) => state),
      ['scheduled'],
    );
  }
  await moveAll();
});

test('a bulk move handles more containers than may be scheduled at once', async () => {
  const ids = [];
  for (let at = 0; at < 7; at++) ids.push((await owner.post('/snippets', { title: 'a', content: 'a' })).body.id);
  await root.post('/snippet_repository_storage_moves', { source_storage_name: 'default' });
  await root.post('/group_repository_storage_moves', { source_storage_name: 'default' });
  for (const _ of [1, 2]) await moveAll();
  assert.deepEqual((await root.get('/snippets/all?repository_storage=default')).body, []);
  const moved = (await root.get('/snippets/all?repository_storage=other&per_page=100')).body;
  assert.equal(
    ids.every((id) => moved.some((each: { id: number }) => each.id === id)),
    true,
  );
});

test('setting another storage on a project schedules its move', async () => {
  const project = await newProject({ owner, readme: true });
  await root.post(`${project.at}/repository_storage_moves`, to('default'));
  await moveAll();
  const { directory } = await getRepositoryRow(project.id);
  const { status, body } = await root.put(project.at, { repository_storage: 'other', description: 'moving' });
  assert.deepEqual([status, body.repository_storage, body.description], [200, 'default', 'moving']);
  const response = await root.put(project.at, { repository_storage: 'other' });
  assert.deepEqual([response.status, response.body], [400, { message: { repository_storage_moves: ['is invalid'] } }]);
  await moveAll();
  assert.equal((await root.get(project.at)).body.repository_storage, 'other');
  assert.equal(await pathExists(directory), false);
});

test('a project is not deleted during its move, nor is a group that contains it', async () => {
  const group = await newGroup({ in: await newGroup({ owner }) });
  const project = await newProject({ owner, in: group, readme: true });
  await owner.delete(project.at);
  const { path_with_namespace: full_path } = (await root.get(project.at)).body;
  await root.post(`${project.at}/repository_storage_moves`, to('other'));
  const deleteProject = () => owner.delete(project.at, { permanently_remove: true, full_path });
  const response = await deleteProject();
  const message =
    "Couldn't remove the project. A project repository storage move is in progress. Try again when it's complete.";
  assert.deepEqual([response.status, response.body], [400, { message }]);
  await owner.delete(group.at);
  const { full_path: groupPath } = (await root.get(group.at)).body;
  const put = await owner.delete(group.at, { permanently_remove: true, full_path: groupPath });
  assert.deepEqual([put.status, put.body], [202, { message: '202 Accepted' }]);
  assert.equal((await root.get(project.at)).status, 200);
  for (const _ of [1, 2, 3, 4]) {
    await runJobs();
    clock.advance(60);
  }
  assert.equal((await root.get(project.at)).status, 404);
  assert.equal((await root.get(group.at)).status, 404);
});
