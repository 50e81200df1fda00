import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createGit } from '#git/git.ts';
import { systemClock } from '#runtime/clock.ts';
import { openCachedArchive } from './archive-cache.ts';

const git = createGit({ storages: {}, clock: systemClock });
const parent = await mkdtemp(join(tmpdir(), 'hearth-archive-cache-'));
after(async () => {
  await git.close();
  await rm(parent, { recursive: true, force: true });
});

/** Bytes of an archive and of the folder, and files in it. */
const LIMITS = { file: 1000, folder: 250, files: 100 };

let folders = 0;

/** An empty cache, and archives whose content the test writes. */
function createCache(expectedBytes = 100) {
  const folder = join(parent, String(folders++));
  const sources: PassThrough[] = [];
  const start = async () => {
    const content = new PassThrough();
    sources.push(content);
    return { content, expectedBytes };
  };
  const client = {
    isDisconnected: false,
    network: '127.0.0.1',
    signal: new AbortController().signal,
    measureStall: () => 0,
  } as never;
  const openWith = async (startArchive: () => Promise<never>, path = 'a', limits = LIMITS) => {
    const options = { commit: 'c', format: 'tar', prefix: 'p', path } as const;
    const request = { folder, client, clientAddress: '127.0.0.1', start: startArchive };
    return openCachedArchive(git, { directory: folder }, options, request, limits);
  };
  const open = async (path?: string, limits = LIMITS): Promise<Readable> => {
    const archive = await openWith(start as never, path, limits);
    assert.ok('content' in archive);
    return archive.content;
  };
  return { folder, sources, open, openWith };
}

const textOf = async (content: Readable) => (await buffer(content)).toString();

test('callers who come together, and later ones, share one build', async () => {
  const { folder, sources, open } = createCache();
  const [first, second] = await Promise.all([open(), open()]);
  const texts = Promise.all([textOf(first), textOf(second)]);
  sources[0]!.write('one');
  sources[0]!.end('two');
  assert.deepEqual(await texts, ['onetwo', 'onetwo']);
  assert.equal(await textOf(await open()), 'onetwo');
  assert.deepEqual([sources.length, (await readdir(folder)).length], [1, 1]);
});

test('a caller who reads nothing delays neither the build nor another caller', async () => {
  const { sources, open } = createCache();
  const [idle, reading] = [await open(), await open()];
  sources[0]!.end('x'.repeat(500));
  assert.equal((await textOf(reading)).length, 500);
  assert.equal((await textOf(idle)).length, 500);
});

test('the build stops when its last caller has left', async () => {
  const { folder, sources, open } = createCache();
  const [first, second] = [await open(), await open()];
  const closed = new Promise((resolve) => sources[0]!.once('close', resolve));
  first.destroy();
  sources[0]!.write('a');
  second.destroy();
  await closed;
  const again = await open();
  const text = textOf(again);
  sources.at(-1)!.end('b');
  assert.equal(await text, 'b');
  assert.equal((await readdir(folder)).length, 1);
});

test('a failed build fails its callers and leaves no file; the next caller gets an own archive', async () => {
  const { folder, sources, open } = createCache();
  const text = textOf(await open());
  sources[0]!.write('half');
  sources[0]!.destroy(new Error('git died'));
  await assert.rejects(text, /aborted/);
  const own = textOf(await open());
  sources[1]!.end('whole');
  assert.equal(await own, 'whole');
  assert.deepEqual(await readdir(folder), []);
});

test('a large archive is not kept, nor one that grows larger than its files', async () => {
  const large = createCache(1001);
  for (const count of [2, 3]) {
    const text = textOf(await large.open());
    large.sources.at(-1)!.end('a');
    assert.deepEqual([await text, large.sources.length], ['a', count]);
  }
  assert.deepEqual(await readdir(large.folder), []);
  const growing = createCache();
  const text = textOf(await growing.open());
  growing.sources[0]!.end('x'.repeat(1001));
  await assert.rejects(text, /aborted/);
  assert.deepEqual(await readdir(growing.folder), []);
});

test('a failure before the first byte reaches all callers, and is not kept', async () => {
  const { openWith, open, sources } = createCache();
  let starts = 0;
  const fail = async () => {
    starts++;
    return { failure: { kind: 'unavailable', text: 'bzip2' } } as never;
  };
  const archives = await Promise.all([openWith(fail), openWith(fail)]);
  assert.deepEqual([archives.every((archive) => 'failure' in archive), starts], [true, 1]);
  const text = textOf(await open());
  sources[0]!.end('a');
  assert.equal(await text, 'a');
});

test('the archives that were not used for the longest time give way', async () => {
  const { folder, sources, open } = createCache();
  const build = async (path: string) => {
    const text = textOf(await open(path));
    sources.at(-1)!.end('x'.repeat(100));
    await text;
  };
  await build('a');
  const [oldest = ''] = await readdir(folder);
  await utimes(join(folder, oldest), 1, 1);
  await build('b');
  await build('c');
  while ((await readdir(folder)).length > 2) await new Promise(setImmediate);
  assert.equal((await readdir(folder)).includes(oldest), false);
});

test('the folder has at most the maximum number of files, however small they are', async () => {
  const { folder, sources, open } = createCache();
  const limits = { ...LIMITS, files: 3 };
  for (const path of ['a', 'b', 'c', 'd', 'e']) {
    const text = textOf(await open(path, limits));
    sources.at(-1)!.end('x');
    await text;
  }
  const deadline = Date.now() + 5_000;
  while ((await readdir(folder)).length > 3 && Date.now() < deadline) await new Promise(setImmediate);
  assert.equal((await readdir(folder)).length, 3);
});

test('closes the file of an archive that nobody reads', { skip: process.platform !== 'linux' }, async () => {
  const { folder, sources, open } = createCache();
  const text = textOf(await open());
  sources[0]!.end('a');
  await text;
  const unread = await open();
  unread.destroy();
  await once(unread, 'close');
  const isOpen = async () => {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return links.some((path) => path.startsWith(folder));
  };
  const deadline = Date.now() + 2_000;
  while ((await isOpen()) && Date.now() < deadline) await new Promise(setImmediate);
  assert.equal(await isOpen(), false);
});
