import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  createGitWithoutRepository,
  createGitWithRepository,
  createGitWithWorkingCopy,
} from '../transport/client.testing.ts';
import { computeRepositoryChecksum, EMPTY_CHECKSUM } from './checksum.ts';

/** Returns the XOR of the SHA-1 of each line. */
function computeChecksum(lines: readonly (string | Buffer)[]): string {
  const digests = lines.map((line) => BigInt(`0x${createHash('sha1').update(line).digest('hex')}`));
  const sum = digests.reduce((xor, digest) => xor ^ digest, 0n);
  return sum.toString(16).padStart(40, '0');
}

test('a missing or empty repository has the empty checksum', async (t) => {
  const absent = await createGitWithoutRepository(t);
  assert.equal(await computeRepositoryChecksum(absent.git, absent.repository), EMPTY_CHECKSUM);
  const empty = await createGitWithRepository(t);
  assert.equal(await computeRepositoryChecksum(empty.git, empty.repository), EMPTY_CHECKSUM);
});

test('includes HEAD and all refs except those of pipelines by their direct target', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const id = await copy.commit('1', { a: 'a' });
  const head = await copy.git('symbolic-ref', 'HEAD');
  await copy.git('tag', '-a', '-m', 'one', 'v1');
  const refs = [
    'refs/heads/x/y',
    'refs/merge-requests/1/head',
    'refs/notes/n',
    'refs/keep-around/k',
    'refs/environments/e',
    'refs/replace/r',
    'refs/deploys/a/b',
  ];
  for (const ref of [...refs, 'refs/pipelines/1']) await copy.git('update-ref', ref, id);
  const tag = await copy.git('rev-parse', 'refs/tags/v1');
  const lines = ['HEAD', head, ...refs].map((ref) => `${id} ${ref}`);
  assert.equal(await computeRepositoryChecksum(git, repository), computeChecksum([...lines, `${tag} refs/tags/v1`]));
  await copy.git('pack-refs', '--all');
  assert.equal(await computeRepositoryChecksum(git, repository), computeChecksum([...lines, `${tag} refs/tags/v1`]));
});

test('uses the bytes of names, and the object of a detached HEAD', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const id = await copy.commit('1', { a: 'a' });
  const name = Buffer.concat([Buffer.from('refs/heads/'), Buffer.from([0xe9])]);
  const packed = Buffer.concat([Buffer.from(`# pack-refs with: sorted \n${id} `), name, Buffer.from('\n')]);
  await copy.git('update-ref', '-d', await copy.git('symbolic-ref', 'HEAD'));
  await writeFile(join(repository.directory, 'packed-refs'), packed);
  const line = Buffer.concat([Buffer.from(`${id} `), name]);
  assert.equal(await computeRepositoryChecksum(git, repository), computeChecksum([line]));
  await writeFile(join(repository.directory, 'HEAD'), `${id}\n`);
  assert.equal(await computeRepositoryChecksum(git, repository), computeChecksum([line, `${id} HEAD`]));
});
