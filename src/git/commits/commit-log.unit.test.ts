import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createGitWithoutRepository, createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { countCommits, listCommits } from './commit-log.ts';
import { readTrailers } from './trailers.ts';

describe('a list of commits', () => {
  test('lists commits newest first, in pages', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const ids = [await copy.commit('1'), await copy.commit('2'), await copy.commit('3')];
    const revisions = { include: [ids[2]!] };
    assert.deepEqual(await listCommits(git, repository, { revisions, limit: 10 }), ids.toReversed());
    assert.deepEqual(await listCommits(git, repository, { revisions, skip: 1, limit: 1 }), [ids[1]]);
    assert.deepEqual(await listCommits(git, repository, { revisions, skip: 5, limit: 1 }), []);
  });

  test('omits commits that a range excludes', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const ids = [await copy.commit('1'), await copy.commit('2'), await copy.commit('3')];
    const revisions = { include: [ids[2]!], exclude: [ids[0]!] };
    assert.deepEqual(await listCommits(git, repository, { revisions, limit: 10 }), [ids[2], ids[1]]);
  });

  test('takes since and until inclusively', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const ids = [await copy.commit('1', {}, 10), await copy.commit('2', {}, 20), await copy.commit('3', {}, 30)];
    const at = (seconds: number): number => 1_704_067_200 + seconds;
    const list = (since: number, until: number): Promise<string[]> =>
      listCommits(git, repository, {
        revisions: { include: [ids[2]!] },
        since: at(since),
        until: at(until),
        limit: 10,
      });
    assert.deepEqual(await list(10, 30), ids.toReversed());
    assert.deepEqual(await list(10.5, 29.5), [ids[1]]);
    assert.deepEqual(await list(20, 20), [ids[1]]);
  });

  test('takes path and author literally', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    await copy.commit('1', { 'a.txt': '1' });
    const star = await copy.commit('2', { '*.txt': '1', ':(top)x': '1' });
    const inFolder = await copy.commit('3', { 'd/e/f': '1' });
    await copy.git('commit', '-q', '--allow-empty', '--author=A.B [x] <c@d>', '-m', '4');
    const other = await copy.git('rev-parse', 'HEAD');
    const list = (filter: { path?: string; author?: string }): Promise<string[]> =>
      listCommits(git, repository, { revisions: 'all', limit: 10, ...filter });
    assert.deepEqual(await list({ path: '*.txt' }), [star]);
    assert.deepEqual(await list({ path: ':(top)x' }), [star]);
    assert.deepEqual(await list({ path: 'd/e' }), [inFolder]);
    assert.deepEqual(await list({ path: 'nothing' }), []);
    assert.deepEqual(await list({ author: 'B [x' }), [other]);
    assert.deepEqual(await list({ author: 'A.n' }), []);
    assert.deepEqual(await list({ author: '--all' }), []);
    assert.equal((await list({ author: 'ann@example.com' })).length, 3);
  });

  test('follows first parents, or every branch', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const base = await copy.commit('base');
    await copy.git('checkout', '-q', '-b', 'side');
    const side = await copy.commit('side', { s: '1' });
    await copy.git('checkout', '-q', 'main');
    const main = await copy.commit('main', { m: '1' });
    assert.deepEqual(
      new Set(await listCommits(git, repository, { revisions: 'all', limit: 9 })),
      new Set([main, side, base]),
    );
    await copy.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    const merge = await copy.git('rev-parse', 'HEAD');
    const options = { revisions: { include: [merge] }, firstParent: true, order: 'topo', limit: 9 } as const;
    assert.deepEqual(await listCommits(git, repository, options), [merge, main, base]);
  });

  test('returns no commits for a missing repository', async (t) => {
    const { git, repository } = await createGitWithoutRepository(t);
    assert.deepEqual(await listCommits(git, repository, { revisions: 'all', limit: 9 }), []);
  });

  test('rejects an option instead of an id', async (t) => {
    const { git, repository } = await createGitWithWorkingCopy(t);
    await assert.rejects(
      listCommits(git, repository, { revisions: { include: ['--all'] }, limit: 1 }),
      /not an object id/,
    );
  });
});

test('commits are counted between ids, up to a maximum', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const ids = [await copy.commit('1'), await copy.commit('2'), await copy.commit('3')];
  assert.equal(await countCommits(git, repository, { include: [ids[2]!] }), 3);
  assert.equal(await countCommits(git, repository, { include: [ids[2]!], exclude: [ids[0]!] }), 2);
  assert.equal(await countCommits(git, repository, { include: [ids[2]!], max: 2 }), 2);
  assert.equal(await countCommits(git, repository, { include: [] }), 0);
});

test('parses trailers like git', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const none = await copy.commit('Fix: something\n\nSee: this is text.\nAnd more.\n');
  const some = await copy.commit('Title\n\nText\n\nSigned-off-by: Ann <a@b>\nX: first\nX: second\n  folded\n');
  const found = await readTrailers(git, repository, [some, none]);
  assert.deepEqual(found.get(none), { trailers: {}, extendedTrailers: {} });
  const trailers = JSON.stringify(found.get(some)?.trailers);
  assert.equal(trailers, '{"Signed-off-by":"Ann <a@b>","X":"second folded"}');
  assert.deepEqual(found.get(some)?.extendedTrailers.X, ['first', 'second folded']);
  assert.deepEqual(await readTrailers(git, repository, [some, none]), found, 'the remembered answer is the same');
});

test('truncates very many trailers', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const many = await copy.commit(`Title\n\n${'X: y\n'.repeat(1500)}`);
  const long = await copy.commit(`Title\n\nA: b\nX: ${'y'.repeat(100_000)}\n`);
  const found = await readTrailers(git, repository, [many, long]);
  assert.equal(found.get(many)?.extendedTrailers.X?.length, 1000);
  assert.deepEqual(found.get(long)?.extendedTrailers, { A: ['b'] });
});
