import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeBlob, writeCommit } from '../commits/commit.ts';
import { commitFiles, createFileChanges, createGitWorld, type GitWorld } from '../fixtures.testing.ts';
import { getRepositoryAt } from '../git.ts';
import { writeObject } from '../objects/loose-objects.ts';
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

test('the last commit is the one that git finds, in a history with merges', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commits: string[] = [];
  // A fixed sequence of numbers below `count`, so that a failure repeats.
  let seed = 7;
  const pick = (count: number) => (seed = (seed * 48_271) % 0x7fffffff) % count;
  const parentAmongLast = (count: number) => commits.at(-1 - pick(Math.min(count, commits.length)))!;
  for (let index = 0; index < 60; index++) {
    const parents =
      index === 0 ? [] : [...new Set([parentAmongLast(3), ...(pick(3) === 0 ? [parentAmongLast(8)] : [])])];
    const tree = await writeTree(world, {
      a: pick(2),
      b: pick(9),
      'dir/c': pick(2),
      'dir/d': pick(30),
      [`e${pick(3)}`]: 1,
    });
    commits.push(
      await writeCommit(git, repository, { tree, parents, author: WHO, committer: WHO, message: `${index}` }),
    );
  }
  for (const commit of commits.slice(-4)) {
    for (const path of ['a', 'b', 'dir', 'dir/c', 'dir/d', 'e0', 'e1', 'dir/', 'none']) {
      const found = await readGitOutput(git, repository, 'rev-list', {
        flags: ['--max-count=1'],
        args: [commit],
        paths: [path],
      });
      assert.equal(await findLastCommit(git, repository, commit, path), found.toString().trim() || null, path);
    }
  }
});

test('the last commit of a file that was changed recently takes no process of its own', async (t) => {
  const { git, repository, ...rest } = await createGitWorld(t);
  const commit = await commitFiles(
    { git, repository, ...rest },
    'main',
    createFileChanges({ 'dir/a': 'a', 'dir/b': 'b' }),
  );
  assert.equal(await findLastCommit(git, repository, commit, 'dir/a'), commit);
  const start = t.mock.method(git.processes.children, 'add');
  assert.equal(await findLastCommit(git, repository, commit, 'dir/b'), commit);
  assert.equal(start.mock.callCount(), 0);
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

const WHO = { name: 'a', email: 'a@b' };

/** Writes the tree whose files have these numbers as contents. Returns its id. */
async function writeTree({ git, repository }: GitWorld, contents: Readonly<Record<string, number>>): Promise<string> {
  const writeEntries = async (files: readonly (readonly [string, number])[]): Promise<string> => {
    const entries: Buffer[] = [];
    for (const [name, members] of Map.groupBy(files.toSorted(), ([path]) => path.split('/')[0]!)) {
      const isFile = members[0]![0] === name;
      const id = isFile
        ? await writeBlob(git, repository, Buffer.from(String(members[0]![1])))
        : await writeEntries(members.map(([path, content]) => [path.slice(name.length + 1), content]));
      entries.push(Buffer.from(`${isFile ? '100644' : '40000'} ${name}\0`), Buffer.from(id, 'hex'));
    }
    return writeObject(git, repository, 'tree', Buffer.concat(entries));
  };
  return writeEntries(Object.entries(contents));
}

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
