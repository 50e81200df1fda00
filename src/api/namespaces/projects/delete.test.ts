import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { getRepository } from '#repositories/repository.ts';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { world } from '#test/support/world.ts';

const { newProject } = await world();

test('marks a project, frees its name and path, archives it and can restore it', async () => {
  const { project, owner } = await world({ project: { name: 'Doomed', path: 'doomed' } });
  const path = project.at;
  const deleted = await owner.delete(path);
  assert.deepEqual([deleted.status, deleted.body], [202, { message: '202 Accepted' }]);
  const marked = (await owner.get(path)).body;
  assert.equal(marked.marked_for_deletion_on, '2026-01-02');
  assert.equal(marked.marked_for_deletion_at, '2026-01-02');
  assert.equal(marked.archived, true);
  assert.equal(marked.path, `doomed-deletion_scheduled-${project.id}`);
  assert.equal(marked.name, `Doomed-deletion_scheduled-${project.id}`);
  assert.deepEqual((await owner.delete(path)).body, { message: 'Project has already been marked for deletion' });
  const unarchive = await owner.post(`${path}/unarchive`);
  assert.deepEqual(unarchive.body, { message: 'Cannot unarchive project since it is scheduled for deletion.' });
  const restored = await owner.post(`${path}/restore`);
  assert.equal(restored.status, 201, restored.text);
  const { name, path: back, archived, marked_for_deletion_on } = restored.body;
  assert.deepEqual([name, back, archived, marked_for_deletion_on], ['Doomed', 'doomed', false, null]);
  assert.deepEqual((await owner.post(`${path}/restore`)).body, { message: 'Project has not been marked for deletion' });
});

test('appends five characters to name and path if either is taken', async () => {
  const { user } = await world();
  const owner = await user();
  for (const successor of [
    { name: 'Doomed', path: 'other' },
    { name: 'Other', path: 'DOOMED' },
  ]) {
    const project = await newProject({ owner, name: 'Doomed', path: 'doomed' });
    await owner.delete(project.at);
    const heir = await newProject({ owner, ...successor });
    const restored = await owner.post(`${project.at}/restore`);
    const { name, path } = restored.body;
    assert.equal(restored.status, 201, restored.text);
    assert.match(path, /^doomed-[a-z0-9]{5}$/);
    assert.equal(name, `Doomed${path.slice(-6)}`);
    assert.equal((await owner.get(`/projects/${encodeURIComponent(`${owner.username}/${path}`)}`)).body.id, project.id);
    await owner.delete(heir.at);
  }
});

test('restores several projects to one path concurrently', async () => {
  const { user } = await world();
  const owner = await user();
  const projects = [];
  for (let i = 0; i < 4; i++) {
    const project = await newProject({ owner, name: 'Doomed', path: 'doomed' });
    await owner.delete(project.at);
    projects.push(project);
  }
  const restored = await Promise.all(projects.map(({ at }) => owner.post(`${at}/restore`)));
  assert.deepEqual(
    restored.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  assert.equal(restored.filter(({ body }) => body.path === 'doomed').length, 1);
});

test('requires a mark and the exact full path for permanent removal', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const path = project.at;
  const early = await owner.delete(path, { permanently_remove: true, full_path: project.path_with_namespace });
  assert.deepEqual([early.status, early.body], [400, { message: 'Project must be marked for deletion first.' }]);
  await owner.delete(path);
  const fullPath = (await owner.get(path)).body.path_with_namespace;
  for (const full_path of [undefined, project.path_with_namespace, fullPath.toUpperCase()]) {
    const wrong = await owner.delete(path, { permanently_remove: true, full_path });
    const message = '`full_path` is incorrect. You must enter the complete path for the project.';
    assert.deepEqual([wrong.status, wrong.body], [400, { message }]);
  }
});

test('removes everything permanently, and the repository by a job', async () => {
  const { project, owner, server, runJobs } = await world({ project: { readme: true } });
  const path = project.at;
  await owner.delete(path);
  const fullPath = (await owner.get(path)).body.path_with_namespace;
  const { database, git } = server.services;
  const storedLocation = await database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const mark = await markRecordedEvents(database.reader);
  assert.equal((await owner.delete(path, { permanently_remove: true, full_path: fullPath })).status, 202);
  assert.equal((await owner.get(path)).status, 404);
  assert.deepEqual(await listRecordedSince(database.reader, mark), ['project_destroyed']);
  assert.equal(await repositoryExists(getRepository(git, storedLocation)), true);
  await runJobs();
  assert.equal(await repositoryExists(getRepository(git, storedLocation)), false);
  for (const table of ['memberships', 'activity_events'] as const) {
    const column = table === 'memberships' ? 'source_id' : 'project_id';
    const remaining = await database.reader
      .selectFrom(table)
      .select('id')
      .where(column as never, '=', project.id as never)
      .execute();
    assert.deepEqual(remaining, [], table);
  }
});

test('requires an Owner to delete and restore, before the precondition', async () => {
  const { user, anonymous, clock } = await world();
  const [owner, maintainer, stranger] = [await user(), await user(), await user()];
  const project = await newProject({ owner });
  const path = project.at;
  await project.addMember('maintainer', maintainer);
  assert.equal((await anonymous.delete(path)).status, 401);
  assert.equal((await stranger.delete(path)).status, 404);
  assert.deepEqual((await maintainer.delete(path)).body, { message: '403 Forbidden' });
  assert.deepEqual((await maintainer.post(`${path}/restore`)).body, { message: '403 Forbidden' });
  clock.advance(10);
  await owner.put(path, { description: 'x' });
  const early = { 'If-Unmodified-Since': project.updated_at };
  assert.equal((await maintainer.delete(path, {}, early)).status, 403);
  const refused = await owner.delete(path, {}, early);
  assert.deepEqual([refused.status, refused.body], [412, { message: '412 Precondition Failed' }]);
  assert.equal((await owner.get(path)).body.marked_for_deletion_on, null);
});

test('does not mark projects below a group that is scheduled for deletion', async () => {
  const { group, owner } = await world({ group: {} });
  const project = await newProject({ in: group });
  assert.equal((await owner.delete(group.at)).status, 202);
  assert.equal((await owner.delete(project.at)).status, 202);
  const after = (await owner.get(project.at)).body;
  assert.deepEqual([after.marked_for_deletion_on, after.name], [null, project.name]);
});

test('destroys marked projects after their grace period, not before', async () => {
  const { user, clock, runJobs, root } = await world({ env: { HEARTH_LOG_LEVEL: 'warn' } });
  const owner = await user();
  const retained = await newProject({ owner, name: 'kept' });
  const marked = await newProject({ owner, name: 'doomed' });
  assert.equal((await root.put('/application/settings', { deletion_adjourned_period: 7 })).status, 200);
  await owner.delete(retained.at);
  await owner.post(`${retained.at}/restore`);
  await owner.delete(marked.at);
  // Schedules start with the first job.
  await runJobs();
  clock.advance(6 * 24 * 3600);
  await runJobs();
  assert.equal((await owner.get(marked.at)).status, 200);
  clock.advance(2 * 24 * 3600);
  await runJobs();
  assert.equal((await owner.get(marked.at)).status, 404);
  assert.equal((await owner.get(retained.at)).status, 200);
});

test('records archiving and unarchiving, which require an Owner', async () => {
  const { user, server } = await world();
  const [owner, maintainer] = [await user(), await user()];
  const project = await newProject({ owner });
  const path = project.at;
  await project.addMember('maintainer', maintainer);
  assert.deepEqual((await maintainer.post(`${path}/archive`)).body, { message: '403 Forbidden' });
  const db = server.services.database.reader;
  const mark = await markRecordedEvents(db);
  assert.deepEqual((await owner.post(`${path}/unarchive`)).status, 201);
  const archived = await owner.post(`${path}/archive`);
  assert.deepEqual([archived.status, archived.body.archived], [201, true]);
  const again = await owner.post(`${path}/archive`);
  assert.deepEqual([again.status, again.body], [400, { message: 'Project is already archived.' }]);
  const branch = await owner.post(`${path}/repository/branches`, { branch: 'x', ref: 'main' });
  assert.equal(branch.status, 403);
  assert.equal((await owner.post(`${path}/unarchive`)).body.archived, false);
  assert.deepEqual(await listRecordedSince(db, mark), ['project_archived', 'project_unarchived']);
});

test('does not destroy a project that is restored concurrently', async () => {
  const testWorld = await world({ project: {} });
  const { project, owner } = testWorld;
  await owner.delete(project.at);
  const { path_with_namespace: full_path } = (await owner.get(project.at)).body;
  atNextTransaction(testWorld, async (run) => {
    assert.equal((await owner.post(`${project.at}/restore`)).status, 201);
    return run();
  });
  const { status, body } = await owner.delete(project.at, { permanently_remove: true, full_path });
  assert.deepEqual([status, body], [400, { message: 'Project must be marked for deletion first.' }]);
  assert.equal((await owner.get(project.at)).body.marked_for_deletion_on, null);
});
