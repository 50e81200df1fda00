import assert from 'node:assert/strict';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { OutputStream } from '../process/stream-pipes.ts';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { computePatchId, streamPatchMails, streamRawDiff } from './diff.ts';

async function readOutput(output: OutputStream): Promise<string> {
  if ('failure' in output) throw new Error(output.failure.kind);
  return text(output.content);
}

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
  const expected = await copy.git('diff', '--binary', from, to);
  const found = await readOutput(await streamRawDiff(git, repository, from, to));
  assert.match(found, /^GIT binary patch$/m);
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
  assert.equal(await readOutput(await streamRawDiff(git, repository, to, to)), '');
});

test('streams a diff of any size whole', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const lines = Array.from({ length: 30_000 }, (_, at) => `line ${at}\n`).join('');
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`file-${at}.txt`, lines]));
  const to = await copy.commit('1', { ...files, long: 'x'.repeat(1_000_000) });
  const diff = await readOutput(await streamRawDiff(git, repository, null, to));
  assert.deepEqual([diff.match(/^\+line /gm)?.length, diff.length > 3_000_000], [240_000, true]);
});

test('streams commits as mails that git can apply', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const first = await copy.commit('One', { 'a.txt': 'a\n' });
  await copy.commit('Two', { 'a.txt': 'b\n' });
  const last = await copy.commit('Three', { b: '\0b' });
  const mails = await readOutput(await streamPatchMails(git, repository, first, last));
  assert.deepEqual(mails.match(/^Subject: .*$/gm), ['Subject: [PATCH 1/2] Two', 'Subject: [PATCH 2/2] Three']);
  assert.match(mails, /^GIT binary patch$/m);
  const all = await readOutput(await streamPatchMails(git, repository, null, last));
  assert.equal(all.match(/^From [0-9a-f]{40} /gm)?.length, 3);
});

test('returns the failure of an unknown commit', async (t) => {
  const { git, repository } = await createGitWithWorkingCopy(t);
  for (const stream of [streamRawDiff, streamPatchMails]) {
    const output = await stream(git, repository, '1'.repeat(40), '2'.repeat(40));
    assert.ok('failure' in output);
  }
});
