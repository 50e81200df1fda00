import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { writeBlob, writeTag } from '../commits/commit.ts';
import {
  commitFiles,
  createFileChanges,
  createGitWorld,
  type GitWorld,
  TEST_SIGNER,
  waitForPid,
} from '../fixtures.testing.ts';
import { createGit, getRepositoryAt } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { ensureRepository, toDiskPath } from '../storage/storage.ts';
import { writeObject } from './loose-objects.ts';
import {
  EMPTY_TREE_ID,
  getBlobSha256,
  getObjectInfo,
  readCommit,
  readCommits,
  readObject,
  readTag,
  readTree,
  streamObject,
} from './object-reader.ts';

const nowhere = '1'.repeat(40);
const mebibyte = 1024 * 1024;

const childrenOf = (world: GitWorld) => [...world.git.processes.children];

test('objects of each type are read', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const id = await commitFiles(world, 'main', createFileChanges({ 'dir/a': 'a', b: 'bb' }));
  const commit = (await readCommit(git, repository, id))!;
  assert.deepEqual((await getObjectInfo(git, repository, id))?.type, 'commit');
  assert.deepEqual(await getObjectInfo(git, repository, 'refs/heads/main'), await getObjectInfo(git, repository, id));
  const tree = (await readTree(git, repository, commit.treeId))!;
  assert.deepEqual(
    tree.entries.map(({ mode, type, name }) => [mode, type, name]),
    [
      ['100644', 'blob', 'b'],
      ['040000', 'tree', 'dir'],
    ],
  );
  const blob = tree.findEntry('b')!.id;
  const read = await readObject(git, repository, blob);
  assert.deepEqual(read, { id: blob, type: 'blob', size: 2, content: Buffer.from('bb') });
  assert.equal(await getBlobSha256(git, repository, blob), createHash('sha256').update('bb').digest('hex'));
  const tag = { name: 'v1', targetId: id, targetType: 'commit' as const, tagger: TEST_SIGNER, message: 'One\n\nTwo' };
  const read2 = (await readTag(git, repository, await writeTag(git, repository, tag)))!;
  assert.deepEqual([read2.name, read2.targetId, read2.targetType, read2.message], ['v1', id, 'commit', 'One\n\nTwo']);
  assert.deepEqual((await readTree(git, repository, EMPTY_TREE_ID))?.entries, []);
});

test('missing objects and objects of another type are null', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const id = await commitFiles(world, 'main', createFileChanges({ 'dir/a': 'a', b: 'bb' }));
  const commit = (await readCommit(git, repository, id))!;
  const blob = (await readTree(git, repository, commit.treeId))!.findEntry('b')!.id;
  assert.equal(await readCommit(git, repository, blob), null);
  assert.equal(await readTree(git, repository, id), null);
  assert.equal(await readTag(git, repository, id), null);
  for (const read of [getObjectInfo, readObject, readCommit, readTree, readTag, streamObject, getBlobSha256]) {
    assert.equal(await read(git, repository, nowhere), null, read.name);
    assert.equal(await read(git, { directory: '/nonexistent/x.git' }, nowhere), null, read.name);
    for (const text of ['', `${id}\ninfo ${id}`, 'a\0b', '--batch', 'none']) {
      assert.equal(await read(git, repository, text), null, `${read.name} ${JSON.stringify(text)}`);
    }
  }
});

test('commits are returned in the requested order', async (t) => {
  const world = await createGitWorld(t);
  const ids: string[] = [];
  for (let number = 0; number < 30; number += 1) {
    ids.push(
      await commitFiles(world, 'main', createFileChanges({ [`f${number}`]: 'x' }), { message: `Number ${number}` }),
    );
  }
  const asked = [...ids.toReversed(), nowhere, ids[3]!];
  const commits = await readCommits(world.git, world.repository, asked);
  assert.deepEqual(
    commits.map((commit) => commit?.id ?? null),
    [...ids.toReversed(), null, ids[3]],
  );
  assert.equal(commits[0]?.title, 'Number 29');
});

test('a huge commit message is truncated, and the next response is correct', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const first = await commitFiles(world, 'main', createFileChanges({ a: 'a' }), {
    message: `Long ${'x'.repeat(2 * mebibyte)}`,
  });
  const second = await commitFiles(world, 'main', createFileChanges({ b: 'b' }), { message: 'Short' });
  const blob = await writeBlob(git, repository, randomBytes(2 * mebibyte));
  const [long, none, short] = await readCommits(git, repository, [first, blob, second]);
  assert.ok(long!.message.length <= mebibyte && long!.title.startsWith('Long xxx'));
  assert.equal(none, null);
  assert.equal(short!.message, 'Short');
  assert.equal((await readCommit(git, repository, first))!.message.length, 2 * mebibyte + 5, 'alone it is whole');
});

test('truncates later messages of a large batch, but not when read alone', async (t) => {
  const world = await createGitWorld(t);
  // A new `Git`: the first one has cached what it wrote.
  const git = createGit({ storages: world.git.storages, clock: world.git.clock });
  t.after(() => git.close());
  const message = 'ä'.repeat(5000);
  const ids = [];
  for (const name of ['a', 'b', 'c']) {
    ids.push(await commitFiles(world, 'main', createFileChanges({ [name]: name }), { message: `${name}${message}` }));
  }
  const read = async (wanted: readonly string[], together?: number) =>
    (await readCommits(git, world.repository, wanted, together)).map((commit) => commit!.message);
  const [a, b, c] = await read(ids, 12_000);
  assert.deepEqual([a!.length, b, c], [5001, `b${'ä'.repeat(127)}`, `c${'ä'.repeat(127)}`]);
  assert.deepEqual(
    (await read(ids)).map(({ length }) => length),
    [5001, 5001, 5001],
  );
});

test('objects of one repository are not visible through another', async (t) => {
  const world = await createGitWorld(t);
  const id = await commitFiles(world, 'main', createFileChanges({ a: 'secret' }));
  assert.notEqual(await readCommit(world.git, world.repository, id), null);
  const other = getRepositoryAt(world.git, 'default', toDiskPath(2));
  await ensureRepository(other, { defaultBranch: 'main' });
  assert.equal(await readCommit(world.git, other, id), null);
  assert.equal(await getObjectInfo(world.git, other, id), null);
});

test('one process serves many requests, and the limit applies across repositories', async (t) => {
  const world = await createGitWorld(t, { maxReaders: 2 });
  const { git } = world;
  const id = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  for (let number = 0; number < 20; number += 1) await getObjectInfo(git, world.repository, 'refs/heads/main');
  const others = await Promise.all(
    Array.from({ length: 6 }, async (_, number) => {
      const repository = getRepositoryAt(git, 'default', toDiskPath(number + 10));
      await ensureRepository(repository, { defaultBranch: 'main' });
      return repository;
    }),
  );
  const asked = [world.repository, ...others].flatMap((repository) =>
    Array.from({ length: 5 }, () => getObjectInfo(git, repository, `${id}^{commit}`)),
  );
  const readers = () => [...git.processes.children].filter((child) => child.command === 'cat-file');
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map((answer) => answer?.id === id),
    Array.from({ length: 35 }, (_, at) => at < 5),
  );
  // Evicted readers exit asynchronously.
  await Promise.all(
    readers()
      .filter((child) => child.stdout.destroyed)
      .map((child) => child.done),
  );
  assert.ok(readers().length <= 2, `${readers().length} readers`);
});

test('a reader with unread output is killed and replaced', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const large = await writeBlob(git, repository, randomBytes(2 * mebibyte));
  const small = await writeBlob(git, repository, Buffer.from('small'));
  const object = await readObject(git, repository, large, 1000);
  assert.deepEqual(object, { id: large, type: 'blob', size: 2 * mebibyte, content: null });
  const before = childrenOf(world);
  assert.equal((await readObject(git, repository, small))?.content?.toString(), 'small');
  assert.ok(!childrenOf(world).every((child) => before.includes(child)));
  assert.equal((await readObject(git, repository, large, 1000))?.content, null);
});

test('a reader that died while idle is replaced', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  await getObjectInfo(git, repository, 'refs/heads/main');
  for (const child of git.processes.children) process.kill(await waitForPid(child), 'SIGKILL');
  assert.equal((await getObjectInfo(git, repository, 'refs/heads/main'))?.type, 'commit');
});

test('an idle reader is stopped after a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const world = await createGitWorld(t, { idleMs: 1000 });
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  await getObjectInfo(world.git, world.repository, 'refs/heads/main');
  const children = [...world.git.processes.children];
  assert.ok(children.length > 0);
  t.mock.timers.tick(999);
  assert.equal(
    children.some((child) => child.stdout.destroyed),
    false,
  );
  t.mock.timers.tick(1);
  await Promise.all(children.map((child) => child.done));
  assert.equal(world.git.processes.children.size, 0);
});

test('a large blob is streamed, and destroying the stream stops git', { timeout: 120_000 }, async (t) => {
  const world = await createGitWorld(t, { maxStreams: 1 });
  const { git, repository } = world;
  const content = randomBytes(5 * mebibyte);
  const id = await writeBlob(git, repository, content);
  assert.equal(await getBlobSha256(git, repository, id), createHash('sha256').update(content).digest('hex'));
  for (let round = 0; round < 3; round += 1) {
    const { content: stream } = (await streamObject(git, repository, id))!;
    for await (const chunk of stream) {
      assert.ok((chunk as Buffer).length > 0);
      break;
    }
  }
  const unread = (await streamObject(git, repository, id))!;
  unread.content.destroy();
  const small = (await streamObject(git, repository, await writeBlob(git, repository, Buffer.from('small'))))!;
  assert.equal(await text(small.content), 'small');
  // In the end only the idle reader remains; evicted ones exit later.
  const { children } = git.processes;
  while (children.size > 1) await Promise.race([...children].map((child) => child.done));
  assert.deepEqual(
    [...children].map((child) => child.stdout.destroyed),
    [false],
  );
});

test('reports a broken object as an error, not as a truncated response', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const id = await writeBlob(git, repository, randomBytes(3 * mebibyte));
  const path = join(repository.directory, 'objects', id.slice(0, 2), id.slice(2));
  const bytes = await readFile(path);
  bytes.fill(0, mebibyte, mebibyte + 1000);
  await chmod(path, 0o644);
  await writeFile(path, bytes);
  const object = await streamObject(git, repository, id);
  await assert.rejects(
    async () => {
      for await (const _ of object!.content);
    },
    (error) => error instanceof GitError,
  );
  await assert.rejects(readObject(git, repository, id), (error) => error instanceof GitError);
});

test('names and commits that are not UTF-8 are read without loss or error', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const blob = await writeBlob(git, repository, Buffer.from('x'));
  const name = Buffer.from([0x66, 0xfc, 0xc3, 0xbc]);
  const bytes = Buffer.concat([Buffer.from('100644 '), name, Buffer.from([0]), Buffer.from(blob, 'hex')]);
  const tree = await writeObject(git, repository, 'tree', bytes);
  const entry = (await readTree(git, repository, tree))!.entries[0]!;
  assert.equal(entry.name, 'f\udcfcü');
  assert.equal(entry.name.toWellFormed(), 'f\ufffdü');
  const header = `tree ${tree}\nauthor J\xfcrgen <j@x> 1 +0200\ncommitter J\xfcrgen <j@x> 1 +0200\n`;
  const old = Buffer.from(`${header}encoding ISO-8859-1\n\nGr\xfc\xdfe\n`, 'latin1');
  const commit = (await readCommit(git, repository, await writeObject(git, repository, 'commit', old)))!;
  assert.deepEqual([commit.author.name, commit.message, commit.title], ['Jürgen', 'Grüße\n', 'Grüße']);
  const wrong = Buffer.from(`${header}\nGr\xfc\xdfe\n`, 'latin1');
  const other = (await readCommit(git, repository, await writeObject(git, repository, 'commit', wrong)))!;
  assert.equal(other.title, 'Gr\ufffd\ufffde');
});
