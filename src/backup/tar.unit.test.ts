import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { scratchDirectory } from '#test/engines/scratch.ts';
import { buildHeaders, createTarWriter, readContent, readTarEntries, TarDamaged } from './tar.ts';

const TIME = new Date('2026-01-02T03:04:05Z');

async function newFile(t: TestContext): Promise<{ file: FileHandle; path: string }> {
  const directory = await scratchDirectory('hearth-tar-');
  const path = join(directory, 'a.tar');
  const file = await open(path, 'wx+');
  t.after(async () => {
    await file.close();
    await rm(directory, { recursive: true });
  });
  return { file, path };
}

const listed = async (path: string) => (await promisify(execFile)('tar', ['-tvf', path])).stdout;

test('round-trips files of sizes around a block, also with the tar command', async (t) => {
  const { file, path } = await newFile(t);
  const tar = createTarWriter(file, TIME);
  const contents = [0, 1, 511, 512, 513, 70_000, 600_000].map((size) => Buffer.alloc(size, `${size} `));
  for (const bytes of contents) {
    const added = await tar.add(`part/${bytes.length}`, async (write) => {
      await write(bytes.subarray(0, 100));
      await write(bytes.subarray(100));
    });
    assert.deepEqual(added, { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  await tar.end();
  const read: [string, Buffer][] = [];
  for await (const entry of readTarEntries(file))
    read.push([entry.name, await buffer(Readable.from(readContent(file, entry)))]);
  assert.deepEqual(
    read,
    contents.map((bytes) => [`part/${bytes.length}`, bytes]),
  );
  assert.match(await listed(path), /^-rw------- 0\/0 +600000 2026-01-02 .* part\/600000$/m);
});

test('leaves no entry when writing its content fails', async (t) => {
  const { file } = await newFile(t);
  const tar = createTarWriter(file, TIME);
  const broken = tar.add('broken', async (write) => {
    await write(Buffer.alloc(5_000, 'x'));
    throw new Error('it broke');
  });
  await assert.rejects(broken, /it broke/);
  await tar.add('whole', (write) => write(Buffer.from('whole')));
  await tar.end();
  const names: string[] = [];
  for await (const { name } of readTarEntries(file)) names.push(name);
  assert.deepEqual(names, ['whole']);
});

test('supports files larger than 8 GiB, also with the tar command', async (t) => {
  const { file, path } = await newFile(t);
  const size = 9 * 2 ** 30 + 5;
  const end = 1536 + size + 507;
  await file.write(buildHeaders('large', size, TIME), 0, 1536, 0);
  await file.write(buildHeaders('small', 0, TIME), 0, 1536, end);
  await file.truncate(end + 1536 + 1024);
  const sizes: [string, number][] = [];
  for await (const entry of readTarEntries(file)) sizes.push([entry.name, entry.size]);
  assert.deepEqual(sizes, [
    ['large', size],
    ['small', 0],
  ]);
  assert.match(await listed(path), new RegExp(` ${size} .* large\\n.* 0 .* small\\n$`));
});

test('rejects entries that are no plain files, and incomplete archives', async (t) => {
  const { file, path } = await newFile(t);
  const directory = join(path, '..');
  await rm(path);
  await promisify(execFile)('sh', ['-c', 'ln -s /etc/passwd link && tar --format=ustar -cf a.tar link'], {
    cwd: directory,
  });
  const refused = async (handle: FileHandle) => {
    await assert.rejects(async () => {
      for await (const _ of readTarEntries(handle));
    }, TarDamaged);
  };
  await using link = await open(path);
  await refused(link);
  const huge = Buffer.concat([buildHeaders('a', 2 ** 49, TIME), Buffer.alloc(1024)]);
  const manyRecords = Buffer.concat([buildHeaders('a', 5, TIME).subarray(0, 1024), huge]);
  const harmful = [
    Buffer.alloc(0),
    Buffer.alloc(512),
    Buffer.alloc(1024, 'x'),
    buildHeaders('a', 5, TIME),
    huge,
    manyRecords,
  ];
  for (const bytes of harmful) {
    await file.truncate(0);
    await file.write(bytes, 0, bytes.length, 0);
    await refused(file);
  }
});
