import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { createTestClient } from '#git/fixtures.testing.ts';
import { createZip, type ZipFileInput } from '#test/support/zip.ts';
import { unpackFile } from './zip-files.ts';

// Single files of archives (contract/runners.md §5.5), of which none need be what it says.

const { client } = createTestClient();

/** Of an archive in memory, which is read in small pieces; and how much of it has been. */
function reading(archive: Buffer) {
  const seen = { bytes: 0 };
  const read = async (start: number, end: number) => {
    assert.ok(start >= 0 && end < archive.length, `${start}-${end} of ${archive.length}`);
    const range = archive.subarray(start, end + 1);
    return Readable.from(pieces(range, seen), { objectMode: false });
  };
  return { seen, read };
}

function* pieces(bytes: Buffer, seen: { bytes: number }) {
  for (let at = 0; at < bytes.length; at += 1000) {
    seen.bytes += Math.min(1000, bytes.length - at);
    yield bytes.subarray(at, at + 1000);
  }
}

const unpack = (archive: Buffer, name: string) => unpackFile(reading(archive).read, archive.length, name, client);

async function contentOf(archive: Buffer, name: string): Promise<string | null> {
  const file = await unpack(archive, name);
  return file && Buffer.concat([file.firstChunk, await buffer(file.remainingChunks)]).toString();
}

const LONG_TEXT = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join('');

test('finds files by their full names, compressed or not, long or empty', async () => {
  const files = [
    { name: 'a.txt', content: 'first' },
    { name: 'a.txt', content: 'second' },
    { name: 'dir/', content: '' },
    { name: 'dir/ä b.txt', content: 'stored', method: 0 },
    { name: 'empty', content: '' },
    { name: '../../etc/passwd', content: 'a name like others' },
    { name: 'long', content: LONG_TEXT },
    { name: 'last', content: 'of a large archive', long: true },
  ];
  const expected: [string, string | null][] = [
    ...files
      .filter(({ content }) => content !== 'second')
      .map(({ name, content }): [string, string] => [name, content]),
    ['txt', null],
    ['dir', null],
    ['', null],
  ];
  for (const archive of [createZip(files), createZip(files, { comment: 'PK\u0005\u0006 said', long: true })]) {
    for (const [name, content] of expected) {
      assert.equal(await contentOf(archive, name), name === 'dir/' ? null : content, name);
    }
  }
});

test('finds no files in invalid or unsupported archives', async () => {
  const packed = deflateRawSync(Buffer.from('text'));
  const of = (file: Partial<ZipFileInput>) => createZip([{ name: 'a', content: 'text', ...file }]);
  for (const [why, archive] of [
    ['empty', Buffer.alloc(0)],
    ['none', Buffer.alloc(100_000, 'PK')],
    ['cut', of({}).subarray(0, -1)],
    ['encrypted', of({ flags: 1 })],
    ['of another method', of({ method: 12, packed })],
    ['stored, of another length', of({ method: 0, size: 2 })],
    ['not deflated', of({ packed: Buffer.alloc(50, 0xff) })],
    ['cut within', of({ packed: packed.subarray(0, 3) })],
    ['shorter than it says', of({ size: 5 })],
    ['longer than it says', of({ size: 3 })],
    ['of another checksum', of({ crc: 1 })],
    ['larger than any', of({ long: true, size: 2 ** 33 })],
    ['of impossible size', createZip([{ name: 'a', content: 'text', long: true, offset: 2 ** 52 }])],
    ['packed to nothing', of({ packed: Buffer.alloc(200_000), size: 0 })],
    ['behind the end', of({ offset: 1_000_000 })],
    ['at no file', of({ offset: 3 })],
    ['beyond the files', of({ packedSize: 1000, method: 8 })],
    ['with its directory elsewhere', createZip([{ name: 'a' }], { directory: { start: 4 } })],
    ['with its directory behind its end', createZip([{ name: 'a' }], { directory: { length: 5000 } })],
    ['with an endless directory', createZip([{ name: 'a' }], { directory: { length: 2 ** 40 }, long: true })],
  ] as const) {
    assert.equal(await unpack(archive, 'a'), null, why);
  }
});

test('aborts reading a corrupt file before its end', async () => {
  const file = await unpack(createZip([{ name: 'a', content: LONG_TEXT, crc: 1 }]), 'a');
  assert.ok(file !== null && file.firstChunk.length > 0);
  let length = file.firstChunk.length;
  await assert.rejects(async () => {
    for await (const piece of file.remainingChunks) length += piece.length;
  });
  assert.ok(length < file.size, `${length} of ${file.size}`);
});

test('reads no more of a long file than is consumed', async () => {
  const archive = createZip([{ name: 'noise', content: randomBytes(4 * 1024 * 1024) }]);
  const { read, seen } = reading(archive);
  const file = await unpackFile(read, archive.length, 'noise', client);
  assert.ok(file !== null && file.firstChunk.length <= 64 * 1024);
  await file.remainingChunks.return(undefined);
  assert.ok(seen.bytes < archive.length / 4, `${seen.bytes} have been read`);
});

test('finds a file after twenty thousand others', async () => {
  const files = Array.from({ length: 20_000 }, (_, index) => ({ name: `${index}`.padStart(200, 'x'), method: 0 }));
  const archive = createZip([...files, { name: 'last', content: 'there' }]);
  assert.equal(await contentOf(archive, 'last'), 'there');
});
