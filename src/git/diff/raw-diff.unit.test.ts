import assert from 'node:assert/strict';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { computePatchId, createPatchTruncator, getRawDiff } from './raw-diff.ts';

test('a raw diff equals git diff, and equal changes have equal patch ids', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const from = await copy.commit('1', {
    'a.txt': 'a\nb\n',
    'gone.txt': '-- x\n',
    'here.txt': 'x\n'.repeat(9),
    b: '\0a',
  });
  await unlink(join(copy.directory, 'gone.txt'));
  await copy.git('mv', 'here.txt', 'there.txt');
  const to = await copy.commit('2', { 'a.txt': 'a\nB', 'ü.txt': 'n\n', b: '\0b', empty: '' });
  const expected = await copy.git('diff', from, to);
  const found = (await getRawDiff(git, repository, from, to)).toString('utf8');
  assert.equal(found.trimEnd(), expected.trimEnd());
  assert.match(found, /"b\/\\303\\274\.txt"/);
  const again = await copy.commit('3', { 'a.txt': 'a\nb\n' });
  const other = await copy.commit('4', { 'a.txt': 'a\nB' });
  const last = await copy.commit('5', { 'other.txt': 'x' });
  const back = await copy.commit('6', { 'a.txt': 'a\nb\n' });
  const id = await computePatchId(git, repository, to, again);
  assert.match(id ?? '', /^[0-9a-f]{40}$/);
  assert.equal(await computePatchId(git, repository, last, back), id);
  assert.notEqual(await computePatchId(git, repository, again, other), id);
  assert.equal(await computePatchId(git, repository, to, to), null);
  assert.equal((await getRawDiff(git, repository, to, to)).length, 0);
});

const patch = (name: string, ...lines: string[]) =>
  [`diff --git a/${name} b/${name}`, 'index 1..2 100644', `--- a/${name}`, `+++ b/${name}`, '@@ -1 +1 @@', ...lines]
    .map((line) => `${line}\n`)
    .join('');

test('keeps the header of a too large file and omits files over the total limits', () => {
  const cut = (limits: object, text: string, size = 7) => {
    const cutter = createPatchTruncator({ files: 10, lines: 100, fileBytes: 60, bytes: 1_000, ...limits });
    for (let at = 0; at < text.length; at += size) if (!cutter.write(Buffer.from(text.slice(at, at + size)))) break;
    return cutter.end().toString('utf8');
  };
  const [one, two] = [patch('one', '-a', '+b'), patch('two', '-a', '+b')];
  const long = patch('long', `+${'x'.repeat(200)}`, '+y');
  const head = 'diff --git a/long b/long\nindex 1..2 100644\n';
  for (const size of [1, 7, 5_000]) {
    assert.equal(cut({}, one + two, size), one + two);
    assert.equal(cut({}, one + long + two, size), one + head + two, String(size));
    assert.equal(cut({ files: 1 }, one + two, size), one);
    assert.equal(cut({ lines: 10 }, one + two, size), one);
    assert.equal(cut({ bytes: one.length + 5 }, one + two, size), one);
  }
});
