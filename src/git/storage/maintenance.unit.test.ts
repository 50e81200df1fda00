import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGitWithoutRepository, createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { fsck, getMaintenanceNeeds, packRefs, repack, writeCommitGraph } from './maintenance.ts';

test('requires a commit graph after new commits, and not after it was written', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  await copy.commit('1');
  assert.deepEqual(await getMaintenanceNeeds(repository), { commitGraph: true, packRefs: false, repack: null });
  await writeCommitGraph(git, repository);
  assert.equal((await getMaintenanceNeeds(repository)).commitGraph, false);
});

test('a missing repository needs no maintenance', async (t) => {
  const { repository } = await createGitWithoutRepository(t);
  assert.deepEqual(await getMaintenanceNeeds(repository), { commitGraph: false, packRefs: false, repack: null });
});

test('packs many loose objects and refs', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const id = await copy.commit('1', { a: 'a' });
  for (let at = 0; at < 501; at += 1) await writeFile(join(repository.directory, 'refs/heads', `b${at}`), `${id}\n`);
  const folder = join(repository.directory, 'objects/17');
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < 4; at += 1) await writeFile(join(folder, `tmp${at}`), '');
  const { packRefs: refs, repack: objects } = await getMaintenanceNeeds(repository);
  assert.deepEqual([refs, objects], [true, 'incremental']);
  await packRefs(git, repository);
  assert.deepEqual(await readdir(join(repository.directory, 'refs/heads')), []);
  await repack(git, repository, 'incremental');
  assert.equal(await copy.git('cat-file', '-p', `${id}:a`), 'a');
  assert.equal(
    (await readdir(join(repository.directory, 'objects/pack'))).filter((name) => name.endsWith('.pack')).length,
    1,
  );
});

test('a large pack without a bitmap is indexed once, and is not packed again', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const directory = join(repository.directory, 'objects/pack');
  const listNames = async (pattern: RegExp) => (await readdir(directory)).filter((name) => pattern.test(name));
  await copy.commit('1', { small: randomBytes(1024 * 1024).toString('hex') });
  await copy.git('repack', '-adq');
  assert.equal((await getMaintenanceNeeds(repository)).repack, null);
  await copy.commit('2', { large: randomBytes(4 * 1024 * 1024).toString('hex') });
  await copy.git('repack', '-adq');
  const packs = await listNames(/\.pack$/);
  assert.equal((await getMaintenanceNeeds(repository)).repack, 'incremental');
  await repack(git, repository, 'incremental');
  assert.equal((await listNames(/^multi-pack-index-.*\.bitmap$/)).length, 1);
  assert.deepEqual(await listNames(/\.pack$/), packs);
  const path = join(directory, packs[0] as string);
  const later = (await stat(path)).mtimeMs / 1000 + 60;
  await utimes(path, later, later);
  assert.equal((await getMaintenanceNeeds(repository)).repack, null);
  await repack(git, repository, 'full');
  assert.equal((await listNames(/^pack-.*\.bitmap$/)).length, 1);
  assert.equal((await getMaintenanceNeeds(repository)).repack, null);
});

test('prunes unreachable objects after two weeks', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  await copy.commit('1', { a: 'a' });
  await copy.write('young', 'young');
  await copy.write('old', 'old');
  const young = await copy.git('hash-object', '-w', 'young');
  const old = await copy.git('hash-object', '-w', 'old');
  const fifteenDays = 15 * 24 * 3600;
  const file = join(repository.directory, 'objects', old.slice(0, 2), old.slice(2));
  const { mtimeMs } = await stat(file);
  await utimes(file, mtimeMs / 1000 - fifteenDays, mtimeMs / 1000 - fifteenDays);
  await repack(git, repository, 'full');
  assert.equal((await copy.tryGit('cat-file', '-e', young)).code, 0);
  assert.notEqual((await copy.tryGit('cat-file', '-e', old)).code, 0);
});

test('fsck finds a broken object', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  await copy.commit('1', { a: 'a' });
  assert.deepEqual(await fsck(git, repository), { ok: true });
  const id = await copy.git('rev-parse', 'HEAD:a');
  const file = join(repository.directory, 'objects', id.slice(0, 2), id.slice(2));
  await chmod(file, 0o644);
  await writeFile(file, 'broken');
  const checked = await fsck(git, repository);
  assert.ok(!checked.ok && checked.problems.some((problem) => problem.includes(id)));
});
