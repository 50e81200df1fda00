import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLfsPointer, parseLfsPointer } from './lfs-pointer.ts';

const oid = '4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393';

test('a pointer survives formatting and parsing', () => {
  for (const size of [0, 12345, 999_999_999_999])
    assert.deepEqual(parseLfsPointer(formatLfsPointer({ oid, size })), { oid, size });
});

test('accepts a pointer with extensions and rejects other blobs', () => {
  const pointer = formatLfsPointer({ oid, size: 1 }).toString();
  const extended = pointer.replace('oid', `ext-0-foo x\noid`);
  assert.deepEqual(parseLfsPointer(Buffer.from(extended)), { oid, size: 1 });
  const ofLength = (length: number) => `${pointer}x ${'y'.repeat(length - pointer.length - 2)}`;
  assert.deepEqual(parseLfsPointer(Buffer.from(ofLength(200))), { oid, size: 1 });
  const others = [
    ofLength(201),
    '',
    pointer.replace('v1', 'v2'),
    pointer.replace(oid, oid.slice(1) + 'G'),
    pointer.replace('size 1', 'size -1 '),
    ` ${pointer}`,
    `${pointer}${' '.repeat(100)}`,
    'x'.repeat(130),
  ];
  for (const other of others) assert.equal(parseLfsPointer(Buffer.from(other)), null, JSON.stringify(other));
});
