import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { commitFiles, createFileChanges, createGitWorld } from '../fixtures.testing.ts';
import type { GitChild } from '../process/spawn.ts';
import { filterLfsPaths } from './attributes.ts';

const PATHS = [
  'a.bin',
  'A.BIN',
  'x/y/a.bin',
  'top/any',
  'x/top/any',
  'sp ace.x',
  'a.huge',
  'sub/a.bin',
  'sub/keep.bin',
  'sub/a.zip',
  'sub/deep/a.bin',
  'a.txt',
  'new\nline.bin',
  '"q".bin',
  'ü.bin',
  '-x.bin',
];
const LFS = [
  'a.bin',
  'x/y/a.bin',
  'top/any',
  'sp ace.x',
  'a.huge',
  'sub/keep.bin',
  'new\nline.bin',
  '"q".bin',
  'ü.bin',
  '-x.bin',
];

test('the attribute files of the commit decide which paths are LFS', async (t) => {
  const world = await createGitWorld(t);
  const commit = await commitFiles(
    world,
    'main',
    createFileChanges({
      '.gitattributes':
        '*.bin filter=lfs diff=lfs merge=lfs -text\n/top/** filter=lfs\n"sp ace.x" filter=lfs\n[attr]big filter=lfs\n*.huge big\n',
      'sub/.gitattributes': '*.bin -filter\nkeep.bin filter=lfs\n*.zip filter=other\n',
      'plain/a.txt': 'x',
    }),
  );
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual([...(await filterLfsPaths(world.git, world.repository, commit, PATHS))].sort(), LFS.toSorted());
  }
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith('hearth-attributes-'));
  assert.deepEqual(left, []);
});

test('does not start git without a filter in the attribute files', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const first = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const second = await commitFiles(world, 'main', createFileChanges({ '.gitattributes': '*.txt text\n' }));
  const started: string[] = [];
  const { children } = git.processes;
  const add = children.add.bind(children);
  t.mock.method(children, 'add', (child: GitChild) => {
    started.push(child.command);
    return add(child);
  });
  for (const commit of [first, second, '1'.repeat(40)]) {
    assert.deepEqual(await filterLfsPaths(git, repository, commit, ['a.bin', 'x/a.bin', '\udc80', 'a\0b']), new Set());
  }
  assert.deepEqual(
    started.filter((command) => command !== 'cat-file'),
    [],
  );
});
