import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type ArchiveOptions, streamArchive } from './archive.ts';
import { createGitWorld } from './fixtures.testing.ts';
import type { Git } from './git.ts';
import { commitTree, writeNestedTrees } from './objects/bombs.testing.ts';
import type { Repository } from './repository.ts';
import { createGitWithWorkingCopy } from './transport/client.testing.ts';

async function archive(git: Git, repository: Repository, options: ArchiveOptions): Promise<Buffer> {
  const result = await streamArchive(git, repository, options);
  assert.ok('content' in result, JSON.stringify(result));
  return buffer(result.content);
}

describe('an archive', () => {
  const magic = { tar: '', 'tar.gz': '1f8b08', 'tar.bz2': '425a68', zip: '504b0304' } as const;
  for (const format of Object.keys(magic) as (keyof typeof magic)[]) {
    test(`an archive as ${format} has the same bytes each time`, async (t) => {
      const { git, repository, copy } = await createGitWithWorkingCopy(t);
      const commit = await copy.commit('1', { a: 'a\n', 'd/e': 'e\n' });
      const first = await archive(git, repository, { commit, format, prefix: 'p' });
      const second = await archive(git, repository, { commit, format, prefix: 'p' });
      assert.ok(first.equals(second));
      assert.ok(first.toString('hex').startsWith(magic[format]));
    });
  }

  test('contains a folder without excluded paths, and takes names literally', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const commit = await copy.commit('1', { a: 'a', 'd/e': 'e', 'd/x/y': 'y', '*': 'star', '-o': 'dash' });
    const names = async (options: Partial<ArchiveOptions>): Promise<string[]> => {
      const file = join(copy.directory, 'archive.tar');
      await writeFile(file, await archive(git, repository, { commit, format: 'tar', prefix: 'p-1', ...options }));
      const { stdout } = await promisify(execFile)('tar', ['tf', file]);
      return stdout.split('\n').filter((name) => name !== '' && !name.endsWith('/'));
    };
    assert.deepEqual(await names({}), ['p-1/*', 'p-1/-o', 'p-1/a', 'p-1/d/e', 'p-1/d/x/y']);
    assert.deepEqual(await names({ path: 'd' }), ['p-1/d/e', 'p-1/d/x/y']);
    assert.deepEqual(await names({ path: '*' }), ['p-1/*']);
    assert.deepEqual(await names({ path: 'd', excludePaths: ['d/x'] }), ['p-1/d/e']);
    assert.deepEqual(await names({ excludePaths: ['d', '*'] }), ['p-1/-o', 'p-1/a']);
  });

  test('fails before the first byte for a path that does not exist', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const commit = await copy.commit('1', { a: 'a' });
    const result = await streamArchive(git, repository, { commit, format: 'tar', prefix: 'p', path: 'b' });
    assert.equal('failure' in result && result.failure.kind, 'not-found');
  });

  test('stops git when the archive is not read to its end', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const commit = await copy.commit('1', { a: 'x'.repeat(4_000_000) });
    const result = await streamArchive(git, repository, { commit, format: 'tar', prefix: 'p' });
    assert.ok('content' in result);
    const [child] = git.processes.children;
    result.content.destroy();
    assert.equal((await child!.done).ok, false);
    assert.equal(git.processes.children.size, 0);
  });
});

test('an archive over the limits is rejected before git starts', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const few = await commitTree(git, repository, await writeNestedTrees(git, repository, 2, 10));
  const options = { commit: few, format: 'tar', prefix: 'p' } as const;
  const largest = { entries: 100, bytes: 100 * 800 };
  assert.ok('content' in (await drained(streamArchive(git, repository, options, largest))));
  for (const smaller of [{ entries: 99 }, { bytes: 100 * 800 - 1 }]) {
    const result = await streamArchive(git, repository, options, { ...largest, ...smaller });
    assert.equal('failure' in result && result.failure.kind, 'too-large', JSON.stringify(smaller));
  }
  const path = 'entry-0000003';
  assert.ok(
    'content' in (await drained(streamArchive(git, repository, { ...options, path }, { ...largest, entries: 10 }))),
  );
  const bomb = await commitTree(git, repository, await writeNestedTrees(git, repository, 10, 10));
  const result = await streamArchive(git, repository, { ...options, commit: bomb });
  assert.equal('failure' in result && result.failure.kind, 'too-large');
});

/** Reads a stream to its end. */
async function drained<Made extends Awaited<ReturnType<typeof streamArchive>>>(asked: Promise<Made>): Promise<Made> {
  const result = await asked;
  if ('content' in result) await buffer(result.content);
  return result;
}
