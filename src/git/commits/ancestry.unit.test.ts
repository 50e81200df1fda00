import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitOverCopy } from '../transport/client.testing.ts';
import { isAncestor, mergeBase, mergedInto, refsContaining } from './ancestry.ts';

test('ancestry is what git says', async (t) => {
  const { git, repository, copy } = await gitOverCopy(t);
  const base = await copy.commit('base');
  await copy.git('tag', 'v1');
  await copy.git('checkout', '-q', '-b', 'side');
  const side = await copy.commit('side', { s: '1' });
  await copy.git('checkout', '-q', 'main');
  const main = await copy.commit('main', { m: '1' });
  await copy.git('checkout', '-q', '--orphan', 'island');
  const island = await copy.commit('island');

  assert.equal(await mergeBase(git, repository, [main, side]), base);
  assert.equal(await mergeBase(git, repository, [main, side, base]), base);
  assert.equal(await mergeBase(git, repository, [main, island]), null);
  assert.equal(await isAncestor(git, repository, base, main), true);
  assert.equal(await isAncestor(git, repository, main, main), true);
  assert.equal(await isAncestor(git, repository, side, main), false);

  const candidates = [base, side, main, island];
  assert.deepEqual(await mergedInto(git, repository, candidates, main), new Set([base, main]));
  assert.deepEqual(await mergedInto(git, repository, candidates, main), new Set([base, main]), 'remembered');
  assert.deepEqual(await mergedInto(git, repository, candidates, side), new Set([base, side]));
  assert.deepEqual(await mergedInto(git, repository, [], side), new Set());

  assert.deepEqual(await refsContaining(git, repository, base, 'branch'), ['refs/heads/main', 'refs/heads/side']);
  assert.deepEqual(await refsContaining(git, repository, base, 'tag'), ['refs/tags/v1']);
  assert.deepEqual(await refsContaining(git, repository, side, 'all'), ['refs/heads/side']);
});
