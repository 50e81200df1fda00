import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitOverCopy } from '../transport/client.testing.ts';
import { changedPaths } from './changed-paths.ts';

test('the paths at which two commits differ are named once each, until they are too many', async (t) => {
  const { git, repository, copy } = await gitOverCopy(t);
  const from = await copy.commit('1', { 'same.txt': 'a', 'changed.txt': 'a', 'dir/old.txt': 'moved' });
  await copy.git('mv', 'dir/old.txt', 'dir/new ü\n.txt');
  const to = await copy.commit('2', { 'changed.txt': 'b', 'added.txt': 'c' });
  const expected = ['added.txt', 'changed.txt', 'dir/new ü\n.txt', 'dir/old.txt'];
  assert.deepEqual(await changedPaths(git, repository, { from, to, most: 4 }), expected);
  assert.equal(await changedPaths(git, repository, { from, to, most: 3 }), null);
  assert.deepEqual(await changedPaths(git, repository, { from: to, to, most: 3 }), []);
});
