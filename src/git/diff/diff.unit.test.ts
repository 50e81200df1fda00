import assert from 'node:assert/strict';
import { symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { type FileDiff, getDiff, getDiffStats } from './diff.ts';
import { createPatchReader } from './patch-reader.ts';

const plain = { binary: false, tooLarge: false, collapsed: false };
const flags = { newFile: false, renamedFile: false, deletedFile: false };

function without(file: FileDiff | undefined, ...keys: (keyof FileDiff)[]): Partial<FileDiff> {
  return Object.fromEntries(Object.entries(file ?? {}).filter(([key]) => !keys.includes(key as keyof FileDiff)));
}

/** One change of each kind, by new path. */
async function givenChanges(t: TestContext): Promise<{ named: Map<string, FileDiff>; overflow: boolean }> {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const long = Array.from({ length: 50 }, (_, at) => `line ${at}\n`).join('');
  const old = {
    'changed.txt': 'a\nb\n',
    'gone.txt': '-- x\n',
    'here.txt': long,
    'mode.sh': 'x',
    'binary.dat': '\0a',
  };
  const from = await copy.commit('1', old);
  await unlink(join(copy.directory, 'gone.txt'));
  await copy.git('mv', 'here.txt', 'there.txt');
  await copy.git('update-index', '--chmod=+x', 'mode.sh');
  await copy.git('commit', '-q', '-m', 'mode');
  await copy.git('config', 'core.fileMode', 'false');
  const to = await copy.commit('2', { 'changed.txt': 'a\nB\n', 'new "ü\n.txt': 'n', 'binary.dat': '\0b', empty: '' });
  const { files, overflow } = await getDiff(git, repository, from, to);
  const named = new Map(files.map((file) => [file.newPath, file]));
  return { named, overflow };
}

describe('a diff', () => {
  test('lists each changed file once, with its changed lines', async (t) => {
    const { named, overflow } = await givenChanges(t);
    assert.equal(overflow, false);
    assert.deepEqual(
      [...named.keys()],
      ['binary.dat', 'changed.txt', 'empty', 'gone.txt', 'mode.sh', 'new "ü\n.txt', 'there.txt'],
    );
    assert.deepEqual(named.get('changed.txt'), {
      oldPath: 'changed.txt',
      newPath: 'changed.txt',
      aMode: '100644',
      bMode: '100644',
      ...flags,
      ...plain,
      text: '@@ -1,2 +1,2 @@\n a\n-b\n+B\n',
      header: '--- a/changed.txt\n+++ b/changed.txt\n',
    });
  });

  test('shows deleted and new files against an empty side', async (t) => {
    const { named } = await givenChanges(t);
    assert.deepEqual(without(named.get('gone.txt'), 'header'), {
      oldPath: 'gone.txt',
      newPath: 'gone.txt',
      aMode: '100644',
      bMode: '0',
      ...flags,
      deletedFile: true,
      ...plain,
      text: '@@ -1 +0,0 @@\n--- x\n',
    });
    assert.deepEqual(without(named.get('new "ü\n.txt'), 'header', 'oldPath', 'newPath'), {
      aMode: '0',
      bMode: '100644',
      ...flags,
      newFile: true,
      ...plain,
      text: '@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n',
    });
  });

  test('shows binary files, empty files, mode changes and renames without lines', async (t) => {
    const { named } = await givenChanges(t);
    assert.equal(named.get('binary.dat')?.text, 'Binary files a/binary.dat and b/binary.dat differ\n');
    assert.equal(named.get('binary.dat')?.binary, true);
    assert.equal(named.get('empty')?.text, '');
    assert.deepEqual([named.get('mode.sh')?.bMode, named.get('mode.sh')?.text], ['100755', '']);
    assert.deepEqual([named.get('there.txt')?.renamedFile, named.get('there.txt')?.oldPath], [true, 'here.txt']);
  });

  test('shows all files of a first commit as new', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const id = await copy.commit('1', { a: 'x\n' });
    const { files } = await getDiff(git, repository, null, id);
    assert.deepEqual([files[0]?.newFile, files[0]?.aMode, files[0]?.text], [true, '0', '@@ -0,0 +1 @@\n+x\n']);
  });

  test('shows a file that became a link as deleted and created', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const from = await copy.commit('1', { a: 'x\n', b: 'y\n' });
    await unlink(join(copy.directory, 'a'));
    await symlink('target', join(copy.directory, 'a'));
    const to = await copy.commit('2', { b: 'z\n' });
    const { files } = await getDiff(git, repository, from, to);
    const shown = files.map((file) => [file.newPath, file.deletedFile, file.newFile, file.aMode, file.bMode]);
    assert.deepEqual(shown, [
      ['a', true, false, '100644', '0'],
      ['a', false, true, '0', '120000'],
      ['b', false, false, '100644', '100644'],
    ]);
    assert.match(files[2]!.text, /^@@ .*\n-y\n\+z\n$/);
  });

  test('omits the text of a file over 200 KiB and shows the others', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const line = `${'x'.repeat(99)}\n`;
    const endless = 'diff --git a/z b/z'.padEnd(300 * 1024, 'y');
    const id = await copy.commit('1', {
      ...{ a: line.repeat(3000), b: 'b\n', c: endless, d: 'd\n' },
      ...{ e: 'x\n'.repeat(100_000), f: 'f\n' },
    });
    const { files } = await getDiff(git, repository, null, id);
    assert.deepEqual(
      files.map((file) => [file.newPath, file.tooLarge, file.text.length]),
      [
        ['a', true, 0],
        ['b', false, 17],
        ['c', true, 0],
        ['d', false, 17],
        ['e', true, 0],
        ['f', false, 17],
      ],
    );
  });

  test('collapses files after 50000 lines and omits files after 1000 files', async (t) => {
    const { git, repository, copy } = await createGitWithWorkingCopy(t);
    const files: Record<string, string> = {};
    for (let at = 0; at < 1003; at += 1) files[`f${String(at).padStart(4, '0')}`] = `${at}\n`;
    const many = await copy.commit('1', files);
    const first = await getDiff(git, repository, null, many);
    assert.deepEqual([first.files.length, first.overflow, first.files.at(-1)?.collapsed], [1000, true, false]);
    const long: Record<string, string> = {};
    for (let at = 0; at < 4; at += 1) long[`f000${at}`] = `${at}\n`.repeat(20_000);
    const second = await getDiff(git, repository, many, await copy.commit('2', long));
    assert.deepEqual(
      second.files.map((file) => file.collapsed),
      [false, false, true, true],
    );
    assert.equal(git.processes.children.size, 0);
  });
});

test('parses a patch the same in chunks of any size', () => {
  const patch = Buffer.from(
    ':100644 100644 1 2 M\0a\0:100644 100644 1 2 R90\0b\0c\0\0diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+ü\n' +
      'diff --git a/b b/c\nsimilarity index 90%\n--- a/b\n+++ b/c\n@@ -1 +1 @@\n--- a\n++++ b\n',
  );
  const limits = { files: 10, lines: 10, fileBytes: 1000, bytes: 1000 };
  const read = (size: number): unknown => {
    const reader = createPatchReader(limits);
    for (let at = 0; at < patch.length; at += size) assert.ok(reader.write(patch.subarray(at, at + size)));
    return reader.end();
  };
  const whole = read(patch.length);
  for (const size of [1, 2, 3, 7, 50]) assert.deepEqual(read(size), whole);
  assert.equal((whole as { files: FileDiff[] }).files[1]?.text, '@@ -1 +1 @@\n--- a\n++++ b\n');
});

test('does not mistake a truncated line for the next file header', () => {
  const reader = createPatchReader({ files: 10, lines: 10, fileBytes: 20, bytes: 1000 });
  const head = ':0 1 1 2 A\0a\0:0 1 1 2 A\0b\0\0diff --git a/a b/a\n@@ -0,0 +1 @@\n+';
  const pieces = [head, 'x'.repeat(30), 'diff --git a/evil b/evil\n', 'diff --git a/b b/b\n@@ -0,0 +1 @@\n+b\n'];
  for (const piece of pieces) assert.ok(reader.write(Buffer.from(piece)));
  const shown = reader.end().files.map((file) => [file.newPath, file.tooLarge, file.text]);
  assert.deepEqual(shown, [
    ['a', true, ''],
    ['b', false, '@@ -0,0 +1 @@\n+b\n'],
  ]);
});

test('statistics count lines relative to the first parent', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const first = await copy.commit('1', { a: '1\n2\n3\n4\n5\n', b: '\0' });
  await copy.git('checkout', '-q', '-b', 'side');
  const side = await copy.commit('2', { c: 'c\n' });
  await copy.git('checkout', '-q', 'main');
  await copy.git('mv', 'a', 'z');
  const renamed = await copy.commit('3', { z: '1\n2\n3\n4\n6\n' });
  await copy.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  const merge = await copy.git('rev-parse', 'HEAD');
  const found = await getDiffStats(git, repository, [merge, first, renamed, side]);
  assert.deepEqual(found.get(first), { additions: 5, deletions: 0, total: 5 });
  assert.deepEqual(found.get(side), { additions: 1, deletions: 0, total: 1 });
  assert.deepEqual(found.get(renamed), { additions: 1, deletions: 1, total: 2 });
  assert.deepEqual(found.get(merge), { additions: 1, deletions: 0, total: 1 });
});
