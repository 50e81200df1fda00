import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { listChangedPaths } from './changed-files.ts';

test('lists each changed path once, or null above the limit', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const from = await copy.commit('1', { 'same.txt': 'a', 'changed.txt': 'a', 'dir/old.txt': 'moved' });
  await copy.git('mv', 'dir/old.txt', 'dir/new ü\n.txt');
  const to = await copy.commit('2', { 'changed.txt': 'b', 'added.txt': 'c' });
  const expected = ['added.txt', 'changed.txt', 'dir/new ü\n.txt', 'dir/old.txt'];
  assert.deepEqual(await listChangedPaths(git, repository, { from, to, maxPaths: 4 }), expected);
  assert.equal(await listChangedPaths(git, repository, { from, to, maxPaths: 3 }), null);
  assert.deepEqual(await listChangedPaths(git, repository, { from: to, to, maxPaths: 3 }), []);
});
