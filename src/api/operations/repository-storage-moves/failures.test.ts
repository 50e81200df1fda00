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
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { isFailure } from '#runtime/failure.ts';
import { basic } from '#test/examples/scene.ts';
import { jobRun } from '#test/support/job-run.ts';
import type { Project } from '#test/support/world.ts';
import { isThere, worldOfStorages } from './fixtures.testing.ts';
import { moveNext, STEPS } from './run.ts';

const { root, anonymous, user, newProject, server, work, clock, placeOf, moveAll } = await worldOfStorages();
const { git, database } = server.services;
const owner = await user();
const MESSAGE = 'The repository is temporarily read-only. Please try again later.';
const elsewhere = { destination_storage_name: 'other' };

type StepName = keyof typeof STEPS;

/** Has a step do something else until it is called for the first time; the product knows nothing of it. */
function instead(t: TestContext, name: StepName, work: (original: () => Promise<never>) => Promise<unknown>) {
  const original = STEPS[name] as (...given: unknown[]) => Promise<never>;
  const steps = STEPS as unknown as Record<StepName, (...given: unknown[]) => Promise<unknown>>;
  const restore = () => void (steps[name] = original);
  t.after(restore);
  steps[name] = (...given) => {
    restore();
    return work(() => original(...given));
  };
}

async function scheduled() {
  const project = await newProject({ owner, readme: true });
  const before = await placeOf(project.id);
  const { body } = await root.post(`${project.at}/repository_storage_moves`, { destination_storage_name: 'other' });
  const checksum = await computeRepositoryChecksum(git, before);
  const move = async () => (await root.get(`/project_repository_storage_moves/${body.id}`)).body;
  return { project, before, checksum, move };
}

type Scheduled = Awaited<ReturnType<typeof scheduled>>;

/** The move has failed: the source is whole and writable, and nothing is left of the copy. */
async function assertFailed({ project, before, checksum, move }: Scheduled, message: string | RegExp) {
  const { state, error_message } = await move();
  assert.equal(state, 'failed');
  if (typeof message === 'string') assert.equal(error_message, message);
  else assert.match(error_message, message);
  assert.deepEqual(await placeOf(project.id), before);
  assert.equal(await computeRepositoryChecksum(git, before), checksum);
  assert.deepEqual(await fsck(git, before), { ok: true });
  await project.commit({ after: 'after' });
  assert.deepEqual(await repositoriesIn(git.storages.other!), []);
}

async function repositoriesIn(storage: string): Promise<string[]> {
  const names = await readdir(storage, { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('.git'));
}

test('a copy that is not what it was copied from is told, and removed', async (t) => {
  const one = await scheduled();
  instead(t, 'verify', async (verify) => {
    const [copy] = await repositoriesIn(git.storages.other!);
    await writeFile(join(git.storages.other!, copy!, 'packed-refs'), '');
    return verify();
  });
  await moveAll();
  await assertFailed(one, `Failed to verify project repository checksum from ${one.checksum} to ${'0'.repeat(40)}`);
});

test('a copy whose objects are broken has the same checksum, and fails', async (t) => {
  const one = await scheduled();
  instead(t, 'verify', async (verify) => {
    const [copy] = await repositoriesIn(git.storages.other!);
    const objects = join(git.storages.other!, copy!, 'objects');
    const [folder] = (await readdir(objects)).filter((name) => name.length === 2);
    await rm(join(objects, folder!), { recursive: true });
    return verify();
  });
  await moveAll();
  await assertFailed(one, `Failed to verify project repository checksum from ${one.checksum} to ${one.checksum}`);
});

test('a destination that cannot be written to fails the move, and so does one that goes while it is copied to', async (t) => {
  const other = git.storages.other!;
  const one = await scheduled();
  await rm(other, { recursive: true, force: true });
  await writeFile(other, 'no directory');
  await moveAll();
  await rm(other);
  await assertFailed(one, /^The repository could not be copied: E(?:NOTDIR|EXIST)$/);
  const two = await scheduled();
  instead(t, 'verify', async (verify) => {
    await rm(other, { recursive: true });
    return verify();
  });
  await moveAll();
  await assertFailed(two, /^Failed to verify/);
});

test('a repository that is not to be read fails the move, without its path', async () => {
  const one = await scheduled();
  await rm(join(one.before.directory, 'objects'), { recursive: true });
  await moveAll();
  const { state, error_message } = await one.move();
  assert.deepEqual([state, error_message], ['failed', 'The repository could not be copied: git no-repository']);
  assert.equal((await placeOf(one.project.id)).read_only, false);
});

test('a storage that is out of reach fails the move, and is not taken for an empty repository', async () => {
  const one = await scheduled();
  const { directory } = one.before;
  await rename(directory, `${directory}.away`);
  await moveAll();
  await rename(`${directory}.away`, directory);
  await assertFailed(one, 'The repository could not be copied: ENOENT');
});

test('a write that does not end fails the move, and one that ends is waited for', async () => {
  const one = await scheduled();
  const { id: projectId, ...location } = one.before;
  await database.transaction((tx) =>
    tx.updateTable('repositories').set({ read_only: false }).where('project_id', '=', projectId).execute(),
  );
  const intent = await database.transaction((tx) =>
    createIntent(tx, { owner: { projectId }, location, changes: [] }, { server: true, userId: null }),
  );
  assert.ok(!isFailure(intent));
  const moving = work();
  while ((await one.move()).state !== 'started') await Promise.resolve();
  clock.advance(31);
  await moving;
  await database.transaction((tx) => deleteIntent(tx, intent.id));
  await assertFailed(one, 'Timeout waiting for project repository pushes');
});

for (const [step, words] of [
  ['whenUnwritten', 'before anything is copied'],
  ['transfer', 'when the copy is made'],
  ['verify', 'when it is verified'],
  ['switchOver', 'before the copy counts'],
] as const) {
  test(`a move whose process ends ${words} is failed by the next one, and the source counts`, async (t) => {
    const one = await scheduled();
    await diesBefore(t, step);
    assert.equal((await one.move()).state, 'started');
    assert.equal((await placeOf(one.project.id)).read_only, true);
    await moveAll();
    await assertFailed(one, 'Move was interrupted');
  });
}

/** A process that does all steps before this one, and dies: nothing of it is heard again. */
async function diesBefore(t: TestContext, step: StepName) {
  const died = new AbortController();
  instead(t, step, async (original) => {
    // What is half done when it dies is done as well.
    if (step === 'transfer') await original();
    died.abort();
    throw died.signal.reason;
  });
  await assert.rejects(moveNext.handle(server.services, {}, { id: 0, attempt: 1, signal: died.signal }), /abort/);
}

test('a move whose process ends when the copy counts is finished by the next one', async (t) => {
  const one = await scheduled();
  instead(t, 'switchOver', async (switchOver) => {
    await switchOver();
    throw new Error('The connection broke when the commit was on its way back');
  });
  await moveAll();
  assert.equal((await one.move()).state, 'finished');
  const now = await placeOf(one.project.id);
  assert.deepEqual([now.storage, now.read_only], ['other', false]);
  assert.equal(await computeRepositoryChecksum(git, now), one.checksum);
  assert.equal(await isThere(one.before.directory), false);
  await rm(git.storages.other!, { recursive: true });
});

test('who was given up for dead, and is not, makes no copy count any more', async (t) => {
  const one = await scheduled();
  instead(t, 'switchOver', async (switchOver) => {
    // Another process takes over, and begins by giving up what it finds.
    await moveNext.handle(server.services, {}, jobRun(2));
    return switchOver();
  });
  await moveAll();
  await assertFailed(one, 'Move was interrupted');
});

test('a clone that has begun keeps the old repository, idle readers do not', async () => {
  const one = await scheduled();
  await getObjectInfo(git, one.before, 'refs/heads/main');
  assert.equal(isRepositoryInUse(git, one.before), true);
  const clone = spawnGit(git, one.before, 'cat-file', { flags: ['--batch-command'] });
  await moveAll();
  assert.equal((await one.move()).state, 'replicated');
  assert.equal(await isThere(one.before.directory), true);
  clone.kill();
  await clone.done;
  await moveAll();
  assert.equal((await one.move()).state, 'finished');
  assert.deepEqual([isRepositoryInUse(git, one.before), await isThere(one.before.directory)], [false, false]);
  await rm(git.storages.other!, { recursive: true });
});

test('an old repository that cannot be removed is said to be there still, and the new one is used', async () => {
  const one = await scheduled();
  await work();
  const { directory } = one.before;
  await rm(directory, { recursive: true });
  const parent = join(directory, '..');
  await rm(parent, { recursive: true });
  await writeFile(parent, 'in the way');
  clock.advance(4);
  await work();
  assert.equal((await one.move()).state, 'cleanup failed');
  await one.project.commit({ after: 'after' });
  await rm(parent);
  await mkdir(parent);
});

test('while a repository moves every write is refused in the words of the contract, and every read answered', async () => {
  const project = await newProject({ owner, readme: true });
  const { at, repository } = project;
  await project.commit({ x: 'x' }, { branch: 'topic' });
  await owner.post(`${repository}/tags`, { tag_name: 'v1', ref: 'main' });
  const merging = { source_branch: 'topic', target_branch: 'main', title: 'a' };
  const { iid } = (await owner.post(`${at}/merge_requests`, merging)).body;
  await work();
  const { id: sha } = (await owner.get(`${repository}/commits/topic`)).body;
  await root.post(`${at}/repository_storage_moves`, elsewhere);
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

test('what was let in before a move, and is late, is not written to where the repository was', async () => {
  const project = await newProject({ owner, readme: true });
  const before = await placeOf(project.id);
  const main = (await owner.get(`${project.repository}/branches/main`)).body.commit.id;
  await root.post(`${project.at}/repository_storage_moves`, elsewhere);
  await work();
  const changes = [{ ref: 'refs/heads/late', oldId: '0'.repeat(40), newId: main }];
  const late = (place: Awaited<ReturnType<typeof placeOf>>) =>
    moveRefs(server.services, { project: place, by: { server: true, userId: null }, changes });
  const refusal = await late(before);
  assert.equal(isFailure(refusal) && refusal.code, 'readOnly');
  assert.equal(await late(await placeOf(project.id)), undefined);
  await moveAll();
  assert.equal((await owner.get(`${project.repository}/branches/late`)).status, 200);
});

test('what is acknowledged while a repository moves to and fro is there in the end', async () => {
  const project = await newProject({ owner, readme: true });
  const { repository, at } = project;
  const told = { files: new Set<string>(), branches: new Set<string>() };
  let moving = true;
  const writers = [0, 1].map(async (writer) => {
    for (let index = 0; moving; index++) {
      const name = `w${writer}-${index}`;
      const file = { branch: `branch-${writer}`, start_branch: 'main', content: name, commit_message: name };
      const wish = index === 0 ? file : { ...file, start_branch: undefined };
      const said = await owner.post(`${repository}/files/${name}`, wish);
      if (said.status === 201) told.files.add(`${name}?ref=branch-${writer}`);
      else assert.equal(said.body.message, MESSAGE);
      if (index === 0 && said.status !== 201) index--;
      const made = await owner.post(`${repository}/branches`, { branch: name, ref: 'main' });
      if (made.status === 201) told.branches.add(name);
    }
  });
  for (const destination_storage_name of ['default', 'other']) {
    const enough = told.files.size + 2;
    while (told.files.size < enough) await owner.get(at);
    assert.equal((await root.post(`${at}/repository_storage_moves`, { destination_storage_name })).status, 201);
    await work();
    clock.advance(4);
    await work();
  }
  moving = false;
  await Promise.all(writers);
  const now = await placeOf(project.id);
  assert.equal(now.storage, 'other');
  assert.deepEqual(await fsck(server.services.git, now), { ok: true });
  for (const file of told.files) assert.equal((await owner.get(`${repository}/files/${file}`)).status, 200, file);
  for (const name of told.branches) assert.equal((await owner.get(`${repository}/branches/${name}`)).status, 200, name);
});
