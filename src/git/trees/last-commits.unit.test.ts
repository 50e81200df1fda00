import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { commitFiles, createFileChanges, createGitWorld, type GitWorld } from '../fixtures.testing.ts';
import { readGitOutput } from '../process/spawn.ts';
import { findLastCommits } from './last-commits.ts';
import { findEntryAtPath } from './path-entries.ts';
import { listTree } from './tree-list.ts';

async function listEntries({ git, repository }: GitWorld, commit: string, folder: string) {
  const tree = await findEntryAtPath(git, repository, commit, folder);
  return (await listTree(git, repository, tree!.id))!.slice(0, 100);
}

/** Returns the commit by name that `git log -1` finds for each entry. */
async function askGit({ git, repository }: GitWorld, commit: string, paths: readonly string[], folder: string) {
  const found: Record<string, string> = {};
  for (const path of paths) {
    const paths = [folder === '' ? path : `${folder}/${path}`];
    const output = await readGitOutput(git, repository, 'log', { flags: ['-1', '--format=%H'], args: [commit], paths });
    found[path] = output.toString().trim();
  }
  return found;
}

async function compareWithGit(world: GitWorld, commit: string, folder: string): Promise<void> {
  const entries = await listEntries(world, commit, folder);
  const found = await findLastCommits(world.git, world.repository, { commit, folder, entries });
  const paths = entries.map(({ path }) => path);
  assert.deepEqual(
    Object.fromEntries(found),
    await askGit(
      world,
      commit,
      paths.filter((path) => path.isWellFormed()),
      folder,
    ),
  );
}

test('finds what `git log -1` finds for files, folders, renames and odd names', async (t) => {
  const world = await createGitWorld(t);
  await commitFiles(world, 'main', createFileChanges({ 'dir/sub/a': 'a', 'dir/b': 'b', 'dir-x/c': 'c', ':d': 'd' }));
  await commitFiles(world, 'main', createFileChanges({ 'new\nline': 'x', '\n:e': 'x', ünï: 'x', '-f': 'x', '*': 'x' }));
  await commitFiles(world, 'main', [{ action: 'move', from: 'dir/b', path: 'dir/moved' }]);
  await commitFiles(world, 'main', [{ action: 'update', path: 'dir/sub/a', content: Buffer.from('2') }]);
  await commitFiles(world, 'main', [{ action: 'chmod', path: 'dir-x/c', executable: true }]);
  // A file becomes a folder.
  await commitFiles(world, 'main', [{ action: 'delete', path: ':d' }]);
  const tip = await commitFiles(world, 'main', createFileChanges({ ':d/deep/x': 'x' }));
  for (const folder of ['', 'dir', 'dir/sub', 'dir-x', ':d']) await compareWithGit(world, tip, folder);
});

/** Imports a history in the format of `git fast-import` and returns the commit of `main`. */
function importHistory({ repository }: GitWorld, stream: string): string {
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', ['-C', repository.directory, ...args], { input, encoding: 'utf8' });
  git(['fast-import', '--quiet', '--force'], stream);
  return git(['rev-parse', 'refs/heads/main']).trim();
}

/** Returns a function for a fixed sequence of numbers below `count`, so that a failure repeats. */
function createPicker(start: number): (count: number) => number {
  let seed = start;
  return (count) => {
    seed = (seed * 48_271) % 0x7fffffff;
    return seed % count;
  };
}

/** Returns a history with merges of two and three parents, submodules, and commits that are older than their parents. */
function createRandomHistory(seed: number): string {
  const pick = createPicker(seed);
  const change = (path: string, count: number) => `M 100644 inline ${path}\ndata 2\n${10 + pick(count)}\n`;
  let stream = 'reset refs/heads/main\n';
  for (let mark = 1; mark <= 80; mark++) {
    const parents = new Set<number>();
    if (mark > 1) parents.add(mark - 1 - pick(Math.min(3, mark - 1)));
    for (let more = pick(5); mark > 8 && more > 2; more--) parents.add(mark - 1 - pick(8));
    const [first, ...others] = parents;
    const time = 1_700_000_000 + mark * 60 - (pick(6) === 0 ? 3000 : 0);
    stream += `commit refs/heads/main\nmark :${mark}\ncommitter a <a@b> ${time} +0000\ndata 1\nx\n`;
    stream += first === undefined ? '' : `from :${first}\n`;
    stream += others.map((parent) => `merge :${parent}\n`).join('');
    for (const [path, count] of Object.entries({
      a: 2,
      b: 90,
      'dir/c': 2,
      'dir/d': 60,
      'dir/sub/e': 3,
      'dir/sub/f': 50,
    }))
      if (mark === 1 || pick(4) === 0) stream += change(path, count);
    if (pick(5) === 0) stream += `M 160000 ${String(pick(3)).repeat(40).replaceAll('0', 'f')} module\n`;
    if (pick(5) === 0) stream += `M 120000 inline dir/link\ndata 2\n${10 + pick(2)}\n`;
    if (mark > 1 && pick(9) === 0) stream += 'D dir/sub\n';
  }
  return stream;
}

for (const seed of [7, 11, 13, 17]) {
  test(`finds what \`git log -1\` finds in a random history with merges (${seed})`, async (t) => {
    const world = await createGitWorld(t);
    const tip = importHistory(world, createRandomHistory(seed));
    for (const commit of [tip, ...['~3', '~9', '~15'].map((suffix) => tip + suffix)]) {
      const output = await readGitOutput(world.git, world.repository, 'rev-list', { flags: ['-1'], args: [commit] });
      const id = output.toString().trim();
      for (const folder of ['', 'dir', 'dir/sub'])
        if ((await findEntryAtPath(world.git, world.repository, id, folder)) !== null)
          await compareWithGit(world, id, folder);
    }
  });
}

/** Returns a history of merges in a folder so large that git reads each entry of the parents by a process of its own. */
function createLargeMerges(mergeCount: number): string {
  const names = Array.from({ length: 13_000 }, (_, index) => `a-long-name-of-a-file-${10_000 + index}`);
  const write = (mark: number, count: number) =>
    names
      .slice(0, count)
      .map((name) => `M 100644 :${mark} ${name}\n`)
      .join('');
  const commit = (mark: number) =>
    `commit refs/heads/main\nmark :${mark}\ncommitter a <a@b> 1700000000 +0000\ndata 1\nx\n`;
  let stream = 'blob\nmark :1\ndata 1\n1\nblob\nmark :2\ndata 1\n2\n';
  stream += `reset refs/heads/main\n${commit(10)}${write(1, names.length)}`;
  for (let mark = 10; mark < 10 + 2 * mergeCount; mark += 2) {
    stream += `${commit(mark + 1)}from :10\n${write(2, 100)}`;
    // Each tree of the chain differs, so that nothing of it is cached.
    stream += `${commit(mark + 2)}from :${mark + 1}\nmerge :${mark}\n${write(1, 100)}M 100644 :2 m${mark}\n`;
  }
  return stream;
}

test('reads no more trees of merges after the limit', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = importHistory(world, createLargeMerges(4));
  const entries = await listEntries(world, commit, '');
  const start = t.mock.method(git.processes.children, 'add');
  const now = performance.now.bind(performance);
  // The limit passes when the first entry of a merge is read, after `git log` has started.
  t.mock.method(performance, 'now', () => now() + (start.mock.callCount() > 1 ? 60_000 : 0));
  const found = await findLastCommits(git, repository, { commit, folder: '', entries }, 30_000);
  assert.equal(found.size, 0);
  assert.ok(start.mock.callCount() < 10, `${start.mock.callCount()} processes`);
});

test('returns within its limit what it has found, and computes an incomplete result again later', async (t) => {
  const world = await createGitWorld(t);
  const commits = Array.from(
    { length: 5_000 },
    (_, index) =>
      `commit refs/heads/main\nmark :${index + 1}\ncommitter a <a@b> ${1_700_000_000 + index} +0000\ndata 1\nx\n` +
      `${index === 0 ? 'M 100644 inline old\ndata 1\nx\n' : `from :${index}\n`}M 100644 inline new\ndata 5\n${10_000 + index}\n`,
  );
  const commit = importHistory(world, commits.join(''));
  const entries = await listEntries(world, commit, '');
  const folderEntries = { commit, folder: '', entries };
  const { git, repository } = world;
  // The process may have written the youngest commits when it is stopped, but not the 5,000th: the output does not fit in a pipe.
  const incomplete = await findLastCommits(git, repository, folderEntries, 1);
  assert.equal(incomplete.has('old'), false);
  assert.equal(await findLastCommits(git, repository, folderEntries), incomplete);
  world.time += 10 * 60_000;
  const found = await findLastCommits(git, repository, folderEntries, 60_000);
  assert.deepEqual([found.get('new'), found.size], [commit, 2]);
  const start = t.mock.method(git.processes.children, 'add');
  assert.equal(await findLastCommits(git, repository, folderEntries), found);
  assert.equal(start.mock.callCount(), 0);
});
