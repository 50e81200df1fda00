import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createGitWithWorkingCopy, type WorkingCopy } from '../transport/client.testing.ts';
import { canMergeCleanly, cherryPick, mergeCommits, revert } from './merge.ts';

const lines = (changed: Record<number, string> = {}): string =>
  Array.from({ length: 30 }, (_, at) => `${changed[at] ?? at}\n`).join('');

async function sides(copy: WorkingCopy): Promise<{ base: string; ours: string; theirs: string }> {
  const base = await copy.commit('base', { f: lines(), g: 'g\n' });
  await copy.git('checkout', '-q', '-b', 'theirs');
  await copy.commit('not taken', { other: 'x' });
  const theirs = await copy.commit('theirs', { f: lines({ 25: 'theirs' }) });
  await copy.git('checkout', '-q', 'main');
  const ours = await copy.commit('ours', { f: lines({ 3: 'ours' }) });
  return { base, ours, theirs };
}

describe('cherry-pick', () => {
  test('applies the change of one commit only', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const { ours, theirs } = await sides(copy);
    const result = await cherryPick(git, repository, { commit: theirs, onto: ours });
    assert.ok('tree' in result);
    assert.equal(await copy.git('ls-tree', '--name-only', result.tree), 'f\ng');
    assert.equal(await copy.git('show', `${result.tree}:f`), lines({ 3: 'ours', 25: 'theirs' }).trim());
    await copy.git('cherry-pick', '-q', theirs).catch(() => copy.git('cherry-pick', theirs));
    assert.equal(result.tree, await copy.git('rev-parse', 'HEAD^{tree}'), 'as git itself does it');
  });

  test('cherry-picking a change made on both sides is a conflict that names the files', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const { base, theirs } = await sides(copy);
    await copy.git('checkout', '-q', '-b', 'x', base);
    const onto = await copy.commit('x', { f: lines({ 25: 'else' }) });
    assert.deepEqual(await cherryPick(git, repository, { commit: theirs, onto }), { conflict: ['f'] });
  });

  test('cherry-picking an existing change is empty', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const { theirs } = await sides(copy);
    assert.deepEqual(await cherryPick(git, repository, { commit: theirs, onto: theirs }), { empty: true });
  });

  test('applies the first commit of another history', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const onto = await copy.commit('main', { a: 'a' });
    await copy.git('checkout', '-q', '--orphan', 'island');
    await copy.git('rm', '-rfq', '.');
    const commit = await copy.commit('island', { b: 'b' });
    const result = await cherryPick(git, repository, { commit, onto });
    assert.ok('tree' in result);
    assert.equal(await copy.git('ls-tree', '--name-only', result.tree), 'a\nb');
  });
});

describe('revert', () => {
  test('reverts the change of one commit and keeps later changes', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const { ours } = await sides(copy);
    const onto = await copy.commit('later', { f: lines({ 3: 'ours', 20: 'later' }) });
    const result = await revert(git, repository, { commit: ours, onto });
    assert.ok('tree' in result);
    assert.equal(await copy.git('show', `${result.tree}:f`), lines({ 20: 'later' }).trim());
  });

  test('reverting lines changed later is a conflict; reverting removed lines is empty', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const { base, ours } = await sides(copy);
    const onto = await copy.commit('again', { f: lines({ 3: 'again' }) });
    assert.deepEqual(await revert(git, repository, { commit: ours, onto }), { conflict: ['f'] });
    assert.deepEqual(await revert(git, repository, { commit: ours, onto: base }), { empty: true });
  });

  test('reverting a first commit removes all its files', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const commit = await copy.commit('1', { a: 'a' });
    const result = await revert(git, repository, { commit, onto: commit });
    assert.ok('tree' in result);
    assert.equal(await copy.git('ls-tree', result.tree), '');
  });
});

test('merges the changes of two branches', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const { ours, theirs } = await sides(copy);
  const result = await mergeCommits(git, repository, ours, theirs);
  assert.ok('tree' in result);
  assert.equal(await copy.git('ls-tree', '--name-only', result.tree), 'f\ng\nother');
});

test('checks whether two branches can be merged, without writing to the repository', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const { base, ours, theirs } = await sides(copy);
  await copy.git('checkout', '-q', '-b', 'x', base);
  const other = await copy.commit('x', { f: lines({ 25: 'else' }) });
  const objects = async () => (await readdir(join(repository.directory, 'objects'), { recursive: true })).sort();
  const before = await objects();
  const asked = [1, 2].flatMap(() => [
    canMergeCleanly(git, repository, ours, theirs),
    canMergeCleanly(git, repository, other, theirs),
  ]);
  assert.deepEqual(await Promise.all(asked), [true, false, true, false]);
  assert.deepEqual(await objects(), before);
});
