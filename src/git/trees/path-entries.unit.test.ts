import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCommit } from '../commits/commit.ts';
import { commitFiles, createFileChanges, createGitWorld, type GitWorld } from '../fixtures.testing.ts';
import { getRepositoryAt } from '../git.ts';
import { readCommit } from '../objects/object-reader.ts';
import { readGitOutput } from '../process/spawn.ts';
import { ensureRepository, toDiskPath } from '../storage/storage.ts';
import { findEntryAtPath, findLastCommit } from './path-entries.ts';

const strange = [
  '*.txt',
  '[ab]',
  '?',
  ':(glob)**',
  ':wq',
  '-x',
  '--all',
  'new\nline',
  '"quoted"',
  'back\\slash',
  'ünï',
  'a b',
  "it's",
  '!x',
  '^x',
];

test('paths are literal', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commits: Record<string, string> = {};
  for (const path of strange) commits[path] = await commitFiles(world, 'main', createFileChanges({ [path]: path }));
  for (const path of strange)
    commits[`dir/${path}`] = await commitFiles(world, 'main', createFileChanges({ [`dir/${path}`]: path }));
  const tip = await commitFiles(world, 'main', createFileChanges({ 'a.txt': 'a', 'dir/a.txt': 'b' }));
  for (const [path, commit] of Object.entries(commits)) {
    assert.equal((await findEntryAtPath(git, repository, tip, path))?.type, 'blob', path);
    assert.equal(await findLastCommit(git, repository, tip, path), commit, path);
  }
  for (const path of ['a*', '*', ':/', ':(top)a.txt', 'A.TXT', 'dir/*']) {
    assert.equal(await findEntryAtPath(git, repository, tip, path), null, path);
    assert.equal(await findLastCommit(git, repository, tip, path), null, path);
  }
});

test('an entry has its type; a missing path is null', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ 'dir/sub/a': 'a' }));
  const treeId = (await readCommit(git, repository, commit))!.treeId;
  assert.deepEqual(await findEntryAtPath(git, repository, commit, ''), {
    mode: '040000',
    type: 'tree',
    id: treeId,
    name: '',
  });
  assert.equal((await findEntryAtPath(git, repository, commit, 'dir/sub'))?.type, 'tree');
  assert.equal((await findEntryAtPath(git, repository, commit, 'dir/sub/a'))?.mode, '100644');
  for (const path of ['dir/', '/dir', 'dir//sub', 'dir/.', 'dir/..', 'dir/sub/a/', 'dir/sub/a/b', 'none', '.', '\0']) {
    assert.equal(await findEntryAtPath(git, repository, commit, path), null, JSON.stringify(path));
  }
  assert.equal(await findEntryAtPath(git, repository, '1'.repeat(40), 'dir'), null);
});

test('the last commit is the one that changed the path, and is cached', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const first = await commitFiles(world, 'main', createFileChanges({ 'dir/a': 'a', b: 'b' }));
  const second = await commitFiles(world, 'main', [{ action: 'update', path: 'b', content: Buffer.from('c') }]);
  const third = await commitFiles(world, 'main', [{ action: 'move', from: 'dir/a', path: 'moved' }]);
  const graph = { flags: ['--reachable', '--changed-paths'] };
  for (const withGraph of [false, true]) {
    if (withGraph) await readGitOutput(git, repository, 'commit-graph write', graph);
    assert.equal(await findLastCommit(git, repository, second, 'dir/a'), first);
    assert.equal(await findLastCommit(git, repository, second, 'dir'), first);
    assert.equal(await findLastCommit(git, repository, third, 'dir'), third);
    assert.equal(await findLastCommit(git, repository, third, 'moved'), third);
    assert.equal(await findLastCommit(git, repository, third, 'b'), second);
    assert.equal(await findLastCommit(git, repository, third, ''), third);
  }
  const started = git.processes.children.size;
  const pending = findLastCommit(git, repository, third, 'b');
  assert.equal(git.processes.children.size, started, 'no process for a known answer');
  assert.equal(await pending, second);
});

test('a commit that was missing is found once it exists', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const elsewhere = { ...world, repository: getRepositoryAt(git, 'default', toDiskPath(2)) };
  await ensureRepository(elsewhere.repository, { defaultBranch: 'main' });
  const later = await commitFiles(elsewhere, 'main', createFileChanges({ a: 'a' }));
  assert.equal(await findLastCommit(git, repository, later, 'a'), null);
  assert.equal(await commitFiles(world, 'main', createFileChanges({ a: 'a' })), later);
  assert.equal(await findLastCommit(git, repository, later, 'a'), later);
  for (const text of ['main', '--all', '']) assert.equal(await findLastCommit(git, repository, text, 'a'), null);
});

/** A commit with a symbolic link and a submodule. */
async function linksIn(world: GitWorld): Promise<{ made: string; blob: string; commit: string }> {
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const blob = (await findEntryAtPath(git, repository, commit, 'a'))!.id;
  const input = `120000 blob ${blob}\tlink\n160000 commit ${commit}\tmodule\n`;
  const tree = await readGitOutput(git, repository, 'mktree', { flags: ['--missing'] }, { input });
  const treeId = tree.toString().trim();
  const who = { name: 'a', email: 'a@b' };
  const made = await writeCommit(git, repository, {
    tree: treeId,
    parents: [],
    author: who,
    committer: who,
    message: 'x',
  });
  return { made, blob, commit };
}

test('a symbolic link is a blob with a mode of its own', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const { made, blob } = await linksIn(world);
  assert.deepEqual(await findEntryAtPath(git, repository, made, 'link'), {
    mode: '120000',
    type: 'blob',
    id: blob,
    name: 'link',
  });
});

test('a submodule is a commit without entries', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const { made, commit } = await linksIn(world);
  const module = { mode: '160000', type: 'commit', id: commit, name: 'module' };
  assert.deepEqual(await findEntryAtPath(git, repository, made, 'module'), module);
  assert.equal(await findEntryAtPath(git, repository, made, 'module/a'), null);
});
