import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  checkRepository,
  commitFiles,
  createFileChanges,
  createGitWorld,
  getParentIds,
  readTreeEntries,
  TEST_SIGNER,
} from '../fixtures.testing.ts';
import { commitTree, writeWideTree } from '../objects/bombs.testing.ts';
import { readCommit, streamObject } from '../objects/object-reader.ts';
import { resolveRef, ZERO_ID } from '../refs/refs.ts';
import { updateRefs } from '../refs/update-refs.ts';
import { findEntryAtPath } from '../trees/path-entries.ts';
import { commitChanges, type FileChange, writeBlob, writeCommit } from './commit.ts';

const text = (content: string) => Buffer.from(content);
const blobA = '100644 blob 2e65efe2a145dda7ee51d1741299f848e5bf752e'; // "a"
const blobB = '100644 blob 63d8dbd40c23542e740659a7168a0ce3138ea748'; // "b"

const STEPS: [changes: FileChange[], tree: Record<string, string>][] = [
  [createFileChanges({ 'README.md': 'a', 'lib/deep/x.rb': 'b' }), { 'README.md': blobA, 'lib/deep/x.rb': blobB }],
  [[{ action: 'update', path: 'lib/deep/x.rb', content: text('a') }], { 'README.md': blobA, 'lib/deep/x.rb': blobA }],
  [
    [{ action: 'chmod', path: 'README.md', executable: true }],
    { 'README.md': blobA.replace('644', '755'), 'lib/deep/x.rb': blobA },
  ],
  [
    [{ action: 'update', path: 'README.md', content: text('b') }],
    { 'README.md': blobB.replace('644', '755'), 'lib/deep/x.rb': blobA },
  ],
  [
    [{ action: 'move', from: 'lib/deep/x.rb', path: 'lib.rb' }],
    { 'README.md': blobB.replace('644', '755'), 'lib.rb': blobA },
  ],
  [
    [
      { action: 'delete', path: 'lib.rb' },
      { action: 'create', path: 'lib.rb/inside', content: text('a') },
      { action: 'create', path: 'lib.', content: text('b') },
      { action: 'create', path: 'lib/in', content: text('a') },
      { action: 'create', path: 'lib0', content: text('b'), executable: true },
      { action: 'move', from: 'README.md', path: 'ü *?[x]', executable: false },
    ],
    { 'lib.': blobB, 'lib/in': blobA, 'lib.rb/inside': blobA, lib0: blobB.replace('644', '755'), 'ü *?[x]': blobB },
  ],
];

test('each commit has the tree that git lists', async (t) => {
  const world = await createGitWorld(t);
  for (const [changes, tree] of STEPS) {
    assert.deepEqual(await readTreeEntries(world, await commitFiles(world, 'main', changes)), tree);
  }
  await checkRepository(world);
});

const content = text('new');
const REFUSED: [FileChange[], unknown][] = [
  [[{ action: 'create', path: 'a.txt', content }], { rejected: 'exists', path: 'a.txt', index: 0 }],
  [[{ action: 'create', path: 'dir', content }], { rejected: 'is-directory', path: 'dir', index: 0 }],
  [[{ action: 'create', path: 'a.txt/x/y', content }], { rejected: 'parent-is-file', path: 'a.txt', index: 0 }],
  [[{ action: 'update', path: 'none', content }], { rejected: 'missing', path: 'none', index: 0 }],
  [[{ action: 'update', path: 'none/x', content }], { rejected: 'missing', path: 'none/x', index: 0 }],
  [[{ action: 'update', path: 'a.txt/x', content }], { rejected: 'missing', path: 'a.txt/x', index: 0 }],
  [[{ action: 'update', path: 'dir', content }], { rejected: 'is-directory', path: 'dir', index: 0 }],
  [[{ action: 'delete', path: 'none' }], { rejected: 'missing', path: 'none', index: 0 }],
  [[{ action: 'move', from: 'none', path: 'x' }], { rejected: 'missing', path: 'none', index: 0 }],
  [[{ action: 'move', from: 'a.txt', path: 'dir/b.txt' }], { rejected: 'exists', path: 'dir/b.txt', index: 0 }],
  [[{ action: 'chmod', path: 'none', executable: true }], { rejected: 'missing', path: 'none', index: 0 }],
  [
    [
      { action: 'delete', path: 'a.txt' },
      { action: 'delete', path: 'a.txt' },
    ],
    { rejected: 'missing', path: 'a.txt', index: 1 },
  ],
  [[{ action: 'update', path: 'a.txt', content: text('a') }], { rejected: 'empty' }],
  [[{ action: 'chmod', path: 'a.txt', executable: false }], { rejected: 'empty' }],
  [
    [
      { action: 'create', path: 'x/y', content },
      { action: 'delete', path: 'x/y' },
    ],
    { rejected: 'empty' },
  ],
  [[], { rejected: 'empty' }],
];
for (const path of [
  '',
  '/',
  'a//b',
  'a/',
  '/a',
  './a',
  'a/.',
  'a/../b',
  '.git/config',
  'x/.GIT',
  '.gIt',
  'GIT~1',
  '.git ',
]) {
  REFUSED.push([[{ action: 'create', path, content }], { rejected: 'invalid-path', path, index: 0 }]);
}

test('invalid changes fail and do not move the branch', async (t) => {
  const world = await createGitWorld(t);
  const tip = await commitFiles(world, 'main', createFileChanges({ 'a.txt': 'a', 'dir/b.txt': 'b' }));
  for (const [changes, refusal] of REFUSED) {
    const request = { parent: tip, changes, author: TEST_SIGNER, committer: TEST_SIGNER, message: 'x' };
    assert.deepEqual(await commitChanges(world.git, world.repository, request), refusal);
  }
  assert.equal(await resolveRef(world.repository, 'refs/heads/main'), tip);
});

test('names that only look like .git are ordinary', async (t) => {
  const world = await createGitWorld(t);
  const names = ['.gitignore', '.github/x', 'a.git', 'git', '...', 'a..b', '..hidden', '-x', ':wq', 'new\nline', '"q"'];
  const commit = await commitFiles(
    world,
    'main',
    createFileChanges(Object.fromEntries(names.map((name) => [name, 'a']))),
  );
  assert.deepEqual(Object.keys(await readTreeEntries(world, commit)).sort(), [...names].sort());
});

test('a commit stores its signers, times, parents and unchanged message', async (t) => {
  const world = await createGitWorld(t);
  const first = await commitFiles(world, 'main', createFileChanges({ a: 'a' }), {
    message: 'Grüße\r\n\nbody without end',
  });
  const second = await commitFiles(world, 'main', createFileChanges({ b: 'b' }), {
    author: { name: ' <John>\n', email: 'john@example.com', at: { seconds: 1719556960, offset: '-0730' } },
    message: '\n \n',
  });
  const commit = (await readCommit(world.git, world.repository, first))!;
  assert.equal(commit.message, 'Grüße\r\n\nbody without end');
  assert.equal(commit.title, 'Grüße');
  assert.deepEqual(commit.parentIds, []);
  assert.deepEqual(commit.committer, { ...TEST_SIGNER, date: '2024-06-28T10:44:20.000+00:00', seconds: 1719571460 });
  const other = (await readCommit(world.git, world.repository, second))!;
  assert.equal(other.title, 'No commit message');
  assert.deepEqual(other.parentIds, [first]);
  assert.deepEqual(other.author, {
    name: 'John',
    email: 'john@example.com',
    date: '2024-06-27T23:12:40.000-07:30',
    seconds: 1719556960,
  });
  await checkRepository(world);
});

test('one of ten concurrent writers succeeds and nine fail with "moved"', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const parent = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const results = await Promise.all(
    Array.from({ length: 10 }, async (_, number) => {
      const changes = createFileChanges({ [`file-${number}`]: `${number}` });
      const result = await commitChanges(git, repository, {
        parent,
        changes,
        author: TEST_SIGNER,
        committer: TEST_SIGNER,
        message: 'x',
      });
      assert.ok('ok' in result);
      const change = { ref: 'refs/heads/main', oldId: parent, newId: result.commit };
      return { commit: result.commit, update: await updateRefs(git, repository, [change]) };
    }),
  );
  const winners = results.filter((result) => 'ok' in result.update);
  assert.equal(winners.length, 1);
  const tip = winners[0]!.commit;
  assert.equal(await resolveRef(repository, 'refs/heads/main'), tip);
  assert.deepEqual(await getParentIds(world, tip), [parent]);
  for (const { update } of results) {
    if ('rejected' in update) {
      assert.deepEqual(update, { rejected: 'moved', ref: 'refs/heads/main', expected: parent, actual: tip });
    }
  }
});

test('an unknown parent is rejected', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const request = { changes: createFileChanges({ a: 'a' }), author: TEST_SIGNER, committer: TEST_SIGNER, message: 'x' };
  for (const parent of ['1'.repeat(40), ZERO_ID]) {
    assert.deepEqual(await commitChanges(git, repository, { ...request, parent }), { rejected: 'missing-parent' });
  }
});

test('creates an empty commit only if the caller allows it', async (t) => {
  const world = await createGitWorld(t);
  const first = await commitFiles(world, 'main', [], { allowEmpty: true });
  const second = await commitFiles(world, 'main', [], { allowEmpty: true, message: 'again' });
  assert.deepEqual(await readTreeEntries(world, second), {});
  assert.deepEqual(await getParentIds(world, second), [first]);
  await checkRepository(world);
});

for (const size of [3 * 1024 * 1024 + 17, 17 * 1024 * 1024]) {
  test(`writes the same blob from ${size} bytes and from a stream of them`, async (t) => {
    const world = await createGitWorld(t);
    const { git, repository } = world;
    const large = Buffer.alloc(size, 'hearth ');
    async function* chunks() {
      for (let at = 0; at < large.length; at += 100_000) yield large.subarray(at, at + 100_000);
    }
    const id = await writeBlob(git, repository, { size: large.length, chunks: chunks() });
    assert.equal(await writeBlob(git, repository, large), id);
    const commit = await commitFiles(world, 'main', [
      { action: 'create', path: 'streamed', content: { id } },
      { action: 'create', path: 'whole', content: large },
    ]);
    assert.deepEqual(await readTreeEntries(world, commit), {
      streamed: `100644 blob ${id}`,
      whole: `100644 blob ${id}`,
    });
    const object = (await streamObject(git, repository, id))!;
    const parts: Buffer[] = [];
    for await (const part of object.content) parts.push(part as Buffer);
    assert.ok(Buffer.concat(parts).equals(large));
    await checkRepository(world);
  });
}

test('a stream of the wrong length leaves no files', async (t) => {
  const { git, repository } = await createGitWorld(t);
  async function* chunks() {
    yield Buffer.from('short');
  }
  await assert.rejects(
    writeBlob(git, repository, { size: 6, chunks: chunks() }),
    /Expected 6 bytes of object content, got 5/,
  );
  assert.deepEqual((await readdir(join(repository.directory, 'objects'))).sort(), ['info', 'pack']);
});

test('creates a commit of an existing tree', async (t) => {
  const world = await createGitWorld(t);
  const parent = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const tree = (await readCommit(world.git, world.repository, parent))!.treeId;
  const parents = [parent, await commitFiles(world, 'other', createFileChanges({ b: 'b' }))];
  const merge = { tree, parents, author: TEST_SIGNER, committer: TEST_SIGNER, message: 'Merge' };
  assert.deepEqual(await getParentIds(world, await writeCommit(world.git, world.repository, merge)), parents);
});

test('changes only the affected entries of a very large tree', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const parent = await commitTree(git, repository, await writeWideTree(git, repository, 20_000));
  const request = { author: TEST_SIGNER, committer: TEST_SIGNER, message: 'm\n' };
  const changes = [
    ...createFileChanges({ 'a-first': '1', 'entry-0000500-between/x': '2', 'z-last': '3' }),
    { action: 'update', path: 'entry-0000007', content: Buffer.from('new') } as const,
    { action: 'delete', path: 'entry-0019999' } as const,
    { action: 'move', from: 'entry-0000008', path: 'moved' } as const,
  ];
  const result = await commitChanges(git, repository, { ...request, parent, changes });
  assert.ok('ok' in result, JSON.stringify(result));
  const tree = await readTreeEntries(world, result.commit);
  assert.equal(Object.keys(tree).length, 20_000 + 3 - 1);
  const [gone, kept] = [
    ['entry-0019999', 'entry-0000008'],
    ['a-first', 'entry-0000500-between/x', 'z-last', 'moved'],
  ];
  assert.deepEqual([gone.filter((path) => path in tree), kept.filter((path) => !(path in tree))], [[], []]);
  await checkRepository(world);
  const again = await commitChanges(git, repository, {
    ...request,
    parent,
    changes: createFileChanges({ 'entry-0000001': 'x' }),
  });
  assert.equal('rejected' in again && again.rejected, 'exists');
});

test('objects written by a commit are read from the cache', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ 'a/b': 'c' }));
  const read = await readCommit(git, repository, commit);
  assert.deepEqual([read?.id, read?.author.email, read?.message], [commit, TEST_SIGNER.email, 'Change\n']);
  assert.equal((await findEntryAtPath(git, repository, commit, 'a/b'))?.type, 'blob');
  const commands = [...git.processes.children].map(({ command }) => command);
  assert.deepEqual(commands, ['update-ref'], 'no process was started to read them');
});
