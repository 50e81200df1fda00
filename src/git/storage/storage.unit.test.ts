import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { commitFiles, createFileChanges, createGitWorld } from '../fixtures.testing.ts';
import { createGit, getRepositoryAt } from '../git.ts';
import { getObjectInfo } from '../objects/object-reader.ts';
import { findHeadBranch } from '../refs/refs.ts';
import { deleteRepository, ensureRepository, repositoryExists, toDiskPath } from './storage.ts';

test('distributes disk paths by the hash of the id', () => {
  const hash = '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b';
  assert.equal(toDiskPath(1), `@hashed/6b/86/${hash}.git`);
  assert.equal(toDiskPath('1'), toDiskPath(1));
});

test('a repository is located inside its storage', async (t) => {
  const { git, root } = await createGitWorld(t);
  assert.equal(getRepositoryAt(git, 'default', '@hashed/a/b/c.git').directory, join(root, '@hashed/a/b/c.git'));
  for (const path of ['../x', '/etc', 'a/../../x', '.', ''])
    assert.throws(() => getRepositoryAt(git, 'default', path), /no path/);
  assert.throws(() => getRepositoryAt(git, 'none', 'x'), /no storage 'none'/);
  assert.throws(() => createGit({ storages: { a: 'relative' }, clock: git.clock }), /not absolute/);
});

test('concurrent creations of one repository all succeed', async (t) => {
  const { git } = await createGitWorld(t);
  const repository = getRepositoryAt(git, 'default', toDiskPath(5));
  assert.equal(await repositoryExists(repository), false);
  const makers = Array.from({ length: 8 }, () => ensureRepository(repository, { defaultBranch: 'trunk' }));
  await Promise.all(makers);
  assert.equal(await findHeadBranch(repository), 'trunk');
  assert.deepEqual(await readdir(dirname(repository.directory)), [repository.directory.split('/').at(-1)]);
  await ensureRepository(repository, { defaultBranch: 'other' });
  assert.equal(await findHeadBranch(repository), 'trunk');
});

test('a deleted repository has no readers and reads as empty', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  await getObjectInfo(git, repository, 'refs/heads/main');
  const children = [...git.processes.children];
  await deleteRepository(git, repository);
  await Promise.all(children.map((child) => child.done));
  assert.equal(await repositoryExists(repository), false);
  assert.equal(await getObjectInfo(git, repository, 'refs/heads/main'), null);
  await deleteRepository(git, repository);
  assert.deepEqual(await readdir(dirname(repository.directory)), []);
});
