import assert from 'node:assert/strict';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { getObjectInfo } from '#git/objects/object-reader.ts';
import { spawnGit } from '#git/process/spawn.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { isRepositoryInUse } from '#git/storage/storage.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { createIntent, deleteIntent } from '#repositories/ref-updates/intents.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { isFailure } from '#runtime/failure.ts';
import { basic } from '#test/examples/scene.ts';
import { jobRun } from '#test/support/job-run.ts';
import type { Project } from '#test/support/world.ts';
import { createWorldWithStorages, pathExists } from './fixtures.testing.ts';
import { moveNextRepository, STEPS } from './run.ts';

const { root, anonymous, user, newProject, server, runJobs, clock, getRepositoryRow, moveAll } =
  await createWorldWithStorages();
const { git, database } = server.services;
const owner = await user();
const MESSAGE = 'The repository is temporarily read-only. Please try again later.';
const toOtherStorage = { destination_storage_name: 'other' };

type StepName = keyof typeof STEPS;

/** Replaces the next call of a step. Production code has no hook for it. */
function replaceStep(t: TestContext, name: StepName, work: (original: () => Promise<never>) => Promise<unknown>) {
  const original = STEPS[name] as (...given: unknown[]) => Promise<never>;
  const steps = STEPS as unknown as Record<StepName, (...given: unknown[]) => Promise<unknown>>;
  const restore = () => void (steps[name] = original);
  t.after(restore);
  steps[name] = (...given) => {
    restore();
    return work(() => original(...given));
  };
}

async function scheduleMove() {
  const project = await newProject({ owner, readme: true });
  const before = await getRepositoryRow(project.id);
  const { body } = await root.post(`${project.at}/repository_storage_moves`, { destination_storage_name: 'other' });
  const checksum = await computeRepositoryChecksum(git, before);
  const move = async () => (await root.get(`/project_repository_storage_moves/${body.id}`)).body;
  return { project, before, checksum, move };
}

type ScheduledMove = Awaited<ReturnType<typeof scheduleMove>>;

/** Asserts that the move has failed, the source is intact and writable, and the copy is deleted. */
async function assertFailed({ project, before, checksum, move }: ScheduledMove, message: string | RegExp) {
  const { state, error_message } = await move();
  assert.equal(state, 'failed');
  if (typeof message === 'string') assert.equal(error_message, message);
  else assert.match(error_message, message);
  assert.deepEqual(await getRepositoryRow(project.id), before);
  assert.equal(await computeRepositoryChecksum(git, before), checksum);
  assert.deepEqual(await fsck(git, before), { ok: true });
  await project.commit({ after: 'after' });
  assert.deepEqual(await listRepositories(git.storages.other!), []);
}

async function listRepositories(storage: string): Promise<string[]> {
  const names = await readdir(storage, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.git'));
}

test('a copy that differs from its source fails the move and is deleted', async (t) => {
  const one = await scheduleMove();
  replaceStep(t, 'verify', async (verify) => {
    const [copy] = await listRepositories(git.storages.other!);
    await writeFile(join(git.storages.other!, copy!, 'packed-refs'), '');
    return verify();
  });
  await moveAll();
  await assertFailed(one, `Failed to verify project repository checksum from ${one.checksum} to ${'0'.repeat(40)}`);
});

test('a copy with broken objects fails the move, although its checksum is equal', async (t) => {
  const one = await scheduleMove();
  replaceStep(t, 'verify', async (verify) => {
    const [copy] = await listRepositories(git.storages.other!);
    const objects = join(git.storages.other!, copy!, 'objects');
    const [folder] = (await readdir(objects)).filter((name) => name.length === 2);
    await rm(join(objects, folder!), { recursive: true });
    return verify();
  });
  await moveAll();
  await assertFailed(one, `Failed to verify project repository checksum from ${one.checksum} to ${one.checksum}`);
});

test('a destination that is not writable, or disappears during the copy, fails the move', async (t) => {
  const other = git.storages.other!;
  const one = await scheduleMove();
  await rm(other, { recursive: true, force: true });
  await writeFile(other, 'no directory');
  await moveAll();
  await rm(other);
  await assertFailed(one, /^The repository could not be copied: E(?:NOTDIR|EXIST)$/);
  const two = await scheduleMove();
  replaceStep(t, 'verify', async (verify) => {
    await rm(other, { recursive: true });
    return verify();
  });
  await moveAll();
  await assertFailed(two, /^Failed to verify/);
});

test('an unreadable repository fails the move; the message has no path', async () => {
  const one = await scheduleMove();
  await rm(join(one.before.directory, 'objects'), { recursive: true });
  await moveAll();
  const { state, error_message } = await one.move();
  assert.deepEqual([state, error_message], ['failed', 'The repository could not be copied: git no-repository']);
  assert.equal((await getRepositoryRow(one.project.id)).read_only, false);
});

test('an unavailable storage fails the move and does not count as an empty repository', async () => {
  const one = await scheduleMove();
  const { directory } = one.before;
  await rename(directory, `${directory}.away`);
  await moveAll();
  await rename(`${directory}.away`, directory);
  await assertFailed(one, 'The repository could not be copied: ENOENT');
});

test('waits for pending writes; one that does not end fails the move', async () => {
  const one = await scheduleMove();
  const { id: projectId, ...location } = one.before;
  await database.transaction((tx) =>
    tx.updateTable('repositories').set({ read_only: false }).where('project_id', '=', projectId).execute(),
  );
  const intent = await database.transaction((tx) =>
    createIntent(tx, { owner: { projectId }, location, changes: [] }, { server: true, userId: null }),
  );
  assert.ok(!isFailure(intent));
  const moving = runJobs();
  while ((await one.move()).state !== 'started') await Promise.resolve();
  clock.advance(31);
  await moving;
  await database.transaction((tx) => deleteIntent(tx, intent.id));
  await assertFailed(one, 'Timeout waiting for project repository pushes');
});

for (const [step, words] of [
  ['waitForPendingWrites', 'before anything is copied'],
  ['transfer', 'when the copy is made'],
  ['verify', 'when it is verified'],
  ['switchOver', 'before the copy counts'],
] as const) {
  test(`a move whose process ends ${words} fails in the next process, and the source remains valid`, async (t) => {
    const one = await scheduleMove();
    await dieBefore(t, step);
    assert.equal((await one.move()).state, 'started');
    assert.equal((await getRepositoryRow(one.project.id)).read_only, true);
    await moveAll();
    await assertFailed(one, 'Move was interrupted');
  });
}

/** Simulates a process that dies before this step. */
async function dieBefore(t: TestContext, step: StepName) {
  const died = new AbortController();
  replaceStep(t, step, async (original) => {
    // A step that is running when the process dies completes too.
    if (step === 'transfer') await original();
    died.abort();
    throw died.signal.reason;
  });
  await assert.rejects(
    moveNextRepository.handle(server.services, {}, { id: 0, attempt: 1, signal: died.signal }),
    /abort/,
  );
}

test('a move whose process ends after the switch to the copy is finished by the next process', async (t) => {
  const one = await scheduleMove();
  replaceStep(t, 'switchOver', async (switchOver) => {
    await switchOver();
    throw new Error('The connection broke when the commit was on its way back');
  });
  await moveAll();
  assert.equal((await one.move()).state, 'finished');
  const now = await getRepositoryRow(one.project.id);
  assert.deepEqual([now.storage, now.read_only], ['other', false]);
  assert.equal(await computeRepositoryChecksum(git, now), one.checksum);
  assert.equal(await pathExists(one.before.directory), false);
  await rm(git.storages.other!, { recursive: true });
});

test('a process that was presumed dead cannot switch to its copy', async (t) => {
  const one = await scheduleMove();
  replaceStep(t, 'switchOver', async (switchOver) => {
    // Another process takes over and first rolls back interrupted moves.
    await moveNextRepository.handle(server.services, {}, jobRun(2));
    return switchOver();
  });
  await moveAll();
  await assertFailed(one, 'Move was interrupted');
});

test('a running clone delays the deletion of the old repository, idle readers do not', async () => {
  const one = await scheduleMove();
  await getObjectInfo(git, one.before, 'refs/heads/main');
  assert.equal(isRepositoryInUse(git, one.before), true);
  const clone = spawnGit(git, one.before, 'cat-file', { flags: ['--batch-command'] });
  await moveAll();
  assert.equal((await one.move()).state, 'replicated');
  assert.equal(await pathExists(one.before.directory), true);
  clone.kill();
  await clone.done;
  await moveAll();
  assert.equal((await one.move()).state, 'finished');
  assert.deepEqual([isRepositoryInUse(git, one.before), await pathExists(one.before.directory)], [false, false]);
  await rm(git.storages.other!, { recursive: true });
});

test('if the old repository cannot be deleted, the move says so and the new one is used', async () => {
  const one = await scheduleMove();
  await runJobs();
  const { directory } = one.before;
  await rm(directory, { recursive: true });
  const parent = join(directory, '..');
  await rm(parent, { recursive: true });
  await writeFile(parent, 'in the way');
  clock.advance(4);
  await runJobs();
  assert.equal((await one.move()).state, 'cleanup failed');
  await one.project.commit({ after: 'after' });
  await rm(parent);
  await mkdir(parent);
});

test('during a move all writes are rejected as read-only and all reads succeed', async () => {
  const project = await newProject({ owner, readme: true });
  const { at, repository } = project;
  await project.commit({ x: 'x' }, { branch: 'topic' });
  await owner.post(`${repository}/tags`, { tag_name: 'v1', ref: 'main' });
  const merging = { source_branch: 'topic', target_branch: 'main', title: 'a' };
  const { iid } = (await owner.post(`${at}/merge_requests`, merging)).body;
  await runJobs();
  const { id: sha } = (await owner.get(`${repository}/commits/topic`)).body;
  await root.post(`${at}/repository_storage_moves`, toOtherStorage);
  const file = { branch: 'main', content: 'a', commit_message: 'a' };
  const action = { action: 'create', file_path: 'new', content: 'a' };
  const answers = {
    'create a file': await owner.post(`${repository}/files/new`, file),
    'change a file': await owner.put(`${repository}/files/README.md`, file),
    'delete a file': await owner.delete(`${repository}/files/README.md`, { branch: 'main', commit_message: 'a' }),
    commit: await owner.post(`${repository}/commits`, { branch: 'main', commit_message: 'a', actions: [action] }),
    'cherry-pick': await owner.post(`${repository}/commits/${sha}/cherry_pick`, { branch: 'main' }),
    revert: await owner.post(`${repository}/commits/${sha}/revert`, { branch: 'topic' }),
    branch: await owner.post(`${repository}/branches`, { branch: 'new', ref: 'main' }),
    'delete a branch': await owner.delete(`${repository}/branches/topic`),
    tag: await owner.post(`${repository}/tags`, { tag_name: 'new', ref: 'main', message: 'a' }),
    'delete a tag': await owner.delete(`${repository}/tags/v1`),
    merge: await owner.put(`${at}/merge_requests/${iid}/merge`),
    'change the default branch': await owner.put(at, { default_branch: 'topic' }),
    'make it writable': await root.put(at, { repository_read_only: false }),
  };
  for (const [what, { status, body }] of Object.entries(answers)) {
    assert.deepEqual([what, status, body], [what, 400, { message: MESSAGE }]);
  }
  await readsAndPushes(project);
  await moveAll();
  assert.equal((await owner.put(`${at}/merge_requests/${iid}/merge`)).status, 200);
});

async function readsAndPushes({ at, repository, path_with_namespace: path }: Project) {
  for (const read of [`${repository}/tree`, `${repository}/branches`, `${repository}/files/README.md?ref=main`, at]) {
    assert.equal((await owner.get(read)).status, 200);
  }
  const git = async (method: string, rest: string) => {
    const { status, text } = await anonymous.send(method, `//${path}.git/${rest}`, { headers: basic(owner), raw: '' });
    return [status, status === 200 ? '' : text];
  };
  assert.deepEqual(await git('GET', 'info/refs?service=git-upload-pack'), [200, '']);
  assert.deepEqual(await git('GET', 'info/refs?service=git-receive-pack'), [403, MESSAGE]);
  assert.deepEqual(await git('POST', 'git-receive-pack'), [403, MESSAGE]);
  assert.deepEqual(await git('PUT', `gitlab-lfs/objects/${'a'.repeat(64)}/1`), [403, MESSAGE]);
}

test('a late write that started before a move does not write to the old location', async () => {
  const project = await newProject({ owner, readme: true });
  const before = await getRepositoryRow(project.id);
  const main = (await owner.get(`${project.repository}/branches/main`)).body.commit.id;
  await root.post(`${project.at}/repository_storage_moves`, toOtherStorage);
  await runJobs();
  const changes = [{ ref: 'refs/heads/late', oldId: '0'.repeat(40), newId: main }];
  const moveLate = (project: Awaited<ReturnType<typeof getRepositoryRow>>) =>
    updateRepositoryRefs(server.services, { project, actor: { server: true, userId: null }, changes });
  const refusal = await moveLate(before);
  assert.equal(isFailure(refusal) && refusal.code, 'readOnly');
  assert.equal(await moveLate(await getRepositoryRow(project.id)), undefined);
  await moveAll();
  assert.equal((await owner.get(`${project.repository}/branches/late`)).status, 200);
});

test('no acknowledged write is lost while a repository moves back and forth', async () => {
  const project = await newProject({ owner, readme: true });
  const { repository, at } = project;
  const acknowledged = { files: new Set<string>(), branches: new Set<string>() };
  let moving = true;
  const writers = [0, 1].map(async (writer) => {
    for (let index = 0; moving; index++) {
      const name = `w${writer}-${index}`;
      const file = { branch: `branch-${writer}`, start_branch: 'main', content: name, commit_message: name };
      const input = index === 0 ? file : { ...file, start_branch: undefined };
      const response = await owner.post(`${repository}/files/${name}`, input);
      if (response.status === 201) acknowledged.files.add(`${name}?ref=branch-${writer}`);
      else assert.equal(response.body.message, MESSAGE);
      if (index === 0 && response.status !== 201) index--;
      const branchResponse = await owner.post(`${repository}/branches`, { branch: name, ref: 'main' });
      if (branchResponse.status === 201) acknowledged.branches.add(name);
    }
  });
  for (const destination_storage_name of ['default', 'other']) {
    const enough = acknowledged.files.size + 2;
    while (acknowledged.files.size < enough) await owner.get(at);
    assert.equal((await root.post(`${at}/repository_storage_moves`, { destination_storage_name })).status, 201);
    await runJobs();
    clock.advance(4);
    await runJobs();
  }
  moving = false;
  await Promise.all(writers);
  const now = await getRepositoryRow(project.id);
  assert.equal(now.storage, 'other');
  assert.deepEqual(await fsck(server.services.git, now), { ok: true });
  for (const file of acknowledged.files)
    assert.equal((await owner.get(`${repository}/files/${file}`)).status, 200, file);
  for (const name of acknowledged.branches)
    assert.equal((await owner.get(`${repository}/branches/${name}`)).status, 200, name);
});
