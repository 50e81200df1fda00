import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { countContainedTips } from './ancestry.ts';

test('counts the other tips in the history of each tip, across merges and for equal tips', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const a = await copy.commit('a');
  const b = await copy.commit('b');
  await copy.git('checkout', '-q', '-b', 'side', a);
  const c = await copy.commit('c');
  const d = await copy.commit('d');
  await copy.git('merge', '-q', '--no-ff', '-m', 'merge', b);
  const m = await copy.git('rev-parse', 'HEAD');
  await copy.git('checkout', '-q', '--orphan', 'other');
  const alone = await copy.commit('alone');
  const count = (...tips: string[]) => countContainedTips(git, repository, tips);
  assert.deepEqual(await count(a, b, c, d, m, alone), [0, 1, 1, 2, 4, 0]);
  assert.deepEqual(await count(b, d), [0, 0]);
  assert.deepEqual(await count(b, a, b, d), [2, 0, 2, 1]);
  assert.deepEqual(await count(...Array<string>(33).fill(c), m), [...Array<number>(33).fill(32), 33]);
  assert.deepEqual(await count(a), [0]);
});

test('stops reading the history after the timeout', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const a = await copy.commit('a');
  const b = await copy.commit('b');
  assert.deepEqual(await countContainedTips(git, repository, [a, b], 0), [0, 0]);
});
