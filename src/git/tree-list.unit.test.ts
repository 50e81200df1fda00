import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommit } from './objects.ts';
import { output } from './spawn.ts';
import { commitTo, files, gitWorld } from './testing.ts';
import { listTree, listTreeDeep } from './tree-list.ts';

test('a deep list is cut into the same entries wherever it is cut', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const commit = await commitTo(world, 'main', files({ 'b/c/d': '1', 'b/e': 'same', 'a-b': 'same', 'a/x\ty z': '2' }));
  const { treeId } = (await readCommit(git, repository, commit))!;
  const list = await listTreeDeep(git, repository, treeId);
  const whole = list.slice(0, list.length);
  assert.deepEqual(
    whole.map(({ type, path }) => `${type} ${path}`),
    ['tree a', 'tree b', 'tree b/c', 'blob a-b', 'blob a/x\ty z', 'blob b/c/d', 'blob b/e'],
  );
  for (const [place, entry] of whole.entries()) {
    assert.deepEqual(list.slice(place, place + 1), [entry]);
    assert.equal(list.idAt(place), entry.id);
  }
  assert.equal(list.placeOf(whole[6]!.id), 3, 'equal files: the first of them');
  assert.equal(list.placeOf('f'.repeat(40)), -1);
  assert.equal(list.idAt(99), '');
  assert.deepEqual(list.slice(5, 100).length, 2);
  assert.deepEqual(await listTreeDeep(git, repository, treeId), list, 'asked once');
});

test('submodules come last, names that are no UTF-8 keep their bytes', async (t) => {
  const { git, repository } = await gitWorld(t);
  const blob = (await output(git, repository, 'hash-object', { flags: ['-w', '--stdin'] }, { input: 'x' }))
    .toString()
    .trim();
  const lines = [
    Buffer.from(`160000 commit ${'1'.repeat(40)}\ta-module\0`),
    Buffer.concat([Buffer.from(`100755 blob ${blob}\tz`), Buffer.from([0xff, 0])]),
  ];
  const made = await output(git, repository, 'mktree', { flags: ['-z', '--missing'] }, { input: Buffer.concat(lines) });
  const treeId = made.toString().trim();
  const expected = [
    { mode: '100755', type: 'blob', id: blob, path: 'z\udcff' },
    { mode: '160000', type: 'commit', id: '1'.repeat(40), path: 'a-module' },
  ];
  for (const list of [await listTree(git, repository, treeId), await listTreeDeep(git, repository, treeId)]) {
    assert.deepEqual(list?.slice(0, 10), expected);
    assert.equal(list?.placeOf('1'.repeat(40)), 1);
  }
  assert.equal(await listTree(git, repository, blob), null);
});
