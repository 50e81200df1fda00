import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { isFailure } from '#runtime/failure.ts';
import { testClock } from '#test/support/test-clock.ts';
import {
  type BlobLimits,
  createBlobStore,
  getBlobPath,
  hasBlob,
  openBlob,
  type StoredBlob,
  storeBlob,
} from './store.ts';

const digest = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

async function world(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'hearth-blobs-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const clock = testClock();
  return { blobs: createBlobStore({ directory: join(dataDir, 'blobs'), clock }), dataDir, clock };
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('reads back content stored from a buffer or a stream', async (t) => {
  const { blobs, dataDir } = await world(t);
  const sha256 = digest('hello world');
  assert.deepEqual(await storeBlob(blobs, Buffer.from('hello world')), { sha256, size: 11 });
  const path = join(dataDir, 'blobs', sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  assert.equal(await readFile(path, 'utf8'), 'hello world');
  const big = Buffer.alloc(300_000, 'abc');
  const chunks = [big.subarray(0, 100_000), big.subarray(100_000)];
  const stored = (await storeBlob(blobs, Readable.from(chunks))) as StoredBlob;
  assert.deepEqual(stored, { sha256: digest(big), size: 300_000 });
  const opened = await openBlob(blobs, stored.sha256);
  assert.equal(opened?.size, 300_000);
  assert.deepEqual(await buffer(opened!.stream), big);
});

test('stores equal content once, even concurrently, and leaves no draft', async (t) => {
  const { blobs } = await world(t);
  await Promise.all(Array.from({ length: 5 }, () => storeBlob(blobs, Buffer.from('same'))));
  assert.deepEqual(await filesIn(blobs.directory), [digest('same')]);
});

test('reads a range including both ends', async (t) => {
  const { blobs } = await world(t);
  const { sha256 } = (await storeBlob(blobs, Buffer.from('0123456789'))) as StoredBlob;
  const part = async (start: number, end: number) => {
    const opened = await openBlob(blobs, sha256, { start, end });
    return [opened?.size, String(await buffer(opened!.stream))];
  };
  assert.deepEqual(await part(2, 4), [10, '234']);
  assert.deepEqual(await part(9, 99), [10, '9']);
  assert.deepEqual(await part(5, 4), [10, '']);
});

test('stores an empty blob', async (t) => {
  const { blobs } = await world(t);
  const { sha256, size } = (await storeBlob(blobs, Buffer.alloc(0))) as StoredBlob;
  assert.equal(size, 0);
  assert.equal((await buffer((await openBlob(blobs, sha256))!.stream)).length, 0);
});

test('rejects content that differs from the declared size or digest, and stores nothing', async (t) => {
  const { blobs } = await world(t);
  const table: [BlobLimits, string, object][] = [
    [{ maxBytes: 4 }, 'tooLarge', { maxBytes: 4 }],
    [{ expectedSize: 4 }, 'wrongSize', { expected: 4 }],
    [{ expectedSize: 6 }, 'wrongSize', { expected: 6 }],
    [{ expectedSha256: digest('other') }, 'wrongDigest', { expected: digest('other') }],
  ];
  for (const [limits, code, values] of table) {
    const answer = await storeBlob(blobs, Readable.from([Buffer.from('con'), Buffer.from('te')]), limits);
    assert.ok(isFailure(answer));
    assert.deepEqual([answer.code, answer.values], [code, values]);
  }
  assert.deepEqual(await filesIn(blobs.directory), []);
  const promised = { expectedSha256: digest('conte').toUpperCase(), expectedSize: 5, maxBytes: 5 };
  assert.equal(isFailure(await storeBlob(blobs, Buffer.from('conte'), promised)), false);
});

test('does not destroy a rejected stream, so that the caller can still respond', async (t) => {
  const { blobs } = await world(t);
  const source = Readable.from([Buffer.from('too'), Buffer.from('much'), Buffer.from('rest')]);
  await storeBlob(blobs, source, { maxBytes: 5 });
  assert.equal(source.destroyed, false);
  assert.equal(String(await buffer(source)), 'rest');
});

test('stores nothing from an aborted stream', async (t) => {
  const { blobs } = await world(t);
  const source = Readable.from(
    (async function* () {
      yield Buffer.from('half');
      throw new Error('cut');
    })(),
  );
  await assert.rejects(storeBlob(blobs, source), { message: 'cut' });
  assert.deepEqual(await filesIn(blobs.directory), []);
});

test('returns null for a missing blob, and storing it again renews it', async (t) => {
  const { blobs, clock } = await world(t);
  const sha256 = digest('here');
  assert.equal(await openBlob(blobs, sha256), null);
  assert.equal(await hasBlob(blobs, sha256), false);
  await storeBlob(blobs, Buffer.from('here'));
  clock.advance(7200);
  await storeBlob(blobs, Buffer.from('here'));
  assert.equal(await hasBlob(blobs, sha256), true);
  assert.equal((await stat(getBlobPath(blobs, sha256))).mtimeMs, clock.now().getTime());
});

test('finds nothing for a name that is not a digest', async (t) => {
  const { blobs } = await world(t);
  for (const name of ['', '../../secret-key', 'ab', digest('x').toUpperCase(), `${digest('x')}/..`]) {
    await assert.rejects(openBlob(blobs, name), TypeError, name);
  }
});
