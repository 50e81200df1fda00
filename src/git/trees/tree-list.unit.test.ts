import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitFiles, createFileChanges, createGitWorld } from '../fixtures.testing.ts';
import { writeNestedTrees, writeWideTree } from '../objects/bombs.testing.ts';
import { readCommit } from '../objects/object-reader.ts';
import { readGitOutput } from '../process/spawn.ts';
import { findEntryInTree } from './path-entries.ts';
import { listTree } from './tree-list.ts';

test('a recursive list has the same entries for any page boundaries', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(
    world,
    'main',
    createFileChanges({ 'b/c/d': '1', 'b/e': 'same', 'a-b': 'same', 'a/x\ty z': '2' }),
  );
  const { treeId } = (await readCommit(git, repository, commit))!;
  const list = (await listTree(git, repository, treeId, { isRecursive: true }))!;
  const whole = list.slice(0, list.length);
  assert.deepEqual(
    whole.map(({ type, path }) => `${type} ${path}`),
    ['tree a', 'tree b', 'tree b/c', 'blob a-b', 'blob a/x\ty z', 'blob b/c/d', 'blob b/e'],
  );
  for (const [place, entry] of whole.entries()) {
    assert.deepEqual(list.slice(place, place + 1), [entry]);
    assert.equal(list.getIdAt(place), entry.id);
  }
  assert.deepEqual(list.findId(whole[6]!.id), { first: 3, last: 6 }, 'equal files: the first and the last');
  assert.equal(list.findId('f'.repeat(40)), null);
  assert.equal(list.getIdAt(99), '');
  assert.deepEqual(list.slice(5, 100).length, 2);
  assert.equal(await listTree(git, repository, treeId, { isRecursive: true }), list, 'asked once');
});

test('submodules come last, modes are canonical, and names that are not UTF-8 keep their bytes', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const blob = (await readGitOutput(git, repository, 'hash-object', { flags: ['-w', '--stdin'] }, { input: 'x' }))
    .toString()
    .trim();
  const lines = [
    Buffer.from(`100664 blob ${blob}\tfile\x00100775 blob ${blob}\tprogram\0`),
    Buffer.from(`160000 commit ${'1'.repeat(40)}\ta-module\0`),
    Buffer.concat([Buffer.from(`100755 blob ${blob}\tz`), Buffer.from([0xff, 0])]),
  ];
  const made = await readGitOutput(
    git,
    repository,
    'mktree',
    { flags: ['-z', '--missing'] },
    { input: Buffer.concat(lines) },
  );
  const treeId = made.toString().trim();
  const expected = [
    { mode: '100644', type: 'blob', id: blob, path: 'file' },
    { mode: '100755', type: 'blob', id: blob, path: 'program' },
    { mode: '100755', type: 'blob', id: blob, path: 'z\udcff' },
    { mode: '160000', type: 'commit', id: '1'.repeat(40), path: 'a-module' },
  ];
  for (const list of [
    await listTree(git, repository, treeId),
    await listTree(git, repository, treeId, { isRecursive: true }),
  ]) {
    assert.deepEqual(list?.slice(0, 10), expected);
    assert.deepEqual(list?.findId('1'.repeat(40)), { first: 3, last: 3 });
  }
  assert.equal(await listTree(git, repository, blob), null);
});

test('reads only the entries of the page from a tree with ten billion paths', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const bomb = await writeNestedTrees(git, repository, 10, 10);
  const wanted = { maxEntries: 21, maxCounted: 10_001 };
  const list = (await listTree(git, repository, bomb, { isRecursive: true, requestedEntries: wanted }))!;
  assert.deepEqual([list.isComplete, list.length > 10_000, list.length < 100_000], [false, true, true]);
  const page = list.slice(0, 3).map(({ path }) => path);
  assert.deepEqual(page, [
    'entry-0000000',
    'entry-0000000/entry-0000000',
    `${'entry-0000000/'.repeat(2)}entry-0000000`,
  ]);
  assert.equal(
    await listTree(git, repository, bomb, { isRecursive: true, requestedEntries: { ...wanted, maxEntries: 5 } }),
    list,
  );
  const whole = (await listTree(git, repository, bomb, { isRecursive: true }))!;
  assert.deepEqual([whole.isComplete, whole.length > 300_000], [false, true], 'the reading ends at 64 MiB');
});

test('concurrent callers with different counts get their own results', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const bomb = await writeNestedTrees(git, repository, 10, 10);
  const ask = (counted: number) =>
    listTree(git, repository, bomb, { isRecursive: true, requestedEntries: { maxEntries: 21, maxCounted: counted } });
  const [, more] = await Promise.all([ask(1), ask(50_000)]);
  assert.ok(more!.length > 50_000);
});

test('a very large tree is listed and searched without parsing it', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const wide = await writeWideTree(git, repository, 200_000);
  const list = (await listTree(git, repository, wide))!;
  assert.deepEqual([list.isComplete, list.length], [true, 200_000]);
  assert.equal((await findEntryInTree(git, repository, wide, 'entry-0123456'))?.name, 'entry-0123456');
  assert.equal(await findEntryInTree(git, repository, wide, 'entry-x'), null);
  assert.equal(await findEntryInTree(git, repository, wide, ':(glob)*'), null);
  assert.equal(await findEntryInTree(git, repository, wide, 'entry-0123456/below'), null);
});
