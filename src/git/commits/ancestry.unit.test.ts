import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { computeMergeBase, filterReachable, isAncestor, listRefsContaining } from './ancestry.ts';

test('ancestry agrees with git', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const base = await copy.commit('base');
  await copy.git('tag', 'v1');
  await copy.git('tag', '-a', '-m', 'Annotated', 'v2');
  await copy.git('tag', 'a-tree', 'HEAD^{tree}');
  await copy.git('checkout', '-q', '-b', 'side');
  const side = await copy.commit('side', { s: '1' });
  await copy.git('checkout', '-q', 'main');
  const main = await copy.commit('main', { m: '1' });
  await copy.git('checkout', '-q', '--orphan', 'island');
  const island = await copy.commit('island');

  assert.equal(await computeMergeBase(git, repository, [main, side]), base);
  assert.equal(await computeMergeBase(git, repository, [main, side, base]), base);
  assert.equal(await computeMergeBase(git, repository, [main, island]), null);
  assert.equal(await isAncestor(git, repository, base, main), true);
  assert.equal(await isAncestor(git, repository, main, main), true);
  assert.equal(await isAncestor(git, repository, side, main), false);

  const candidates = [base, side, main, island];
  assert.deepEqual(await filterReachable(git, repository, candidates, main), new Set([base, main]));
  assert.deepEqual(await filterReachable(git, repository, candidates, main), new Set([base, main]), 'remembered');
  assert.deepEqual(await filterReachable(git, repository, candidates, side), new Set([base, side]));
  assert.deepEqual(await filterReachable(git, repository, [], side), new Set());

  assert.deepEqual(await listRefsContaining(git, repository, base, 'branch'), ['refs/heads/main', 'refs/heads/side']);
  assert.deepEqual(await listRefsContaining(git, repository, base, 'tag'), ['refs/tags/v1', 'refs/tags/v2']);
  assert.deepEqual(await listRefsContaining(git, repository, side, 'all'), ['refs/heads/side']);
  const all = ['refs/heads/main', 'refs/heads/side', 'refs/tags/v1', 'refs/tags/v2'];
  assert.deepEqual(await listRefsContaining(git, repository, base, 'all'), all);
});
