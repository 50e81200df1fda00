import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { LineFull } from '../../gate.ts';
import { MEBIBYTE, readBytes } from './body.ts';
import { letGo } from './held-body.ts';
import type { Incoming } from './incoming.ts';

/** A client there that has sent so many bytes of its body. */
function sending(clientAddress: string, chunk: Buffer) {
  const stream = new Readable({ read() {} });
  stream.push(chunk);
  const request = { headers: {}, stream, patience: 60_000, clientAddress } as unknown as Incoming;
  const length = readBytes(request).then(
    (bytes) => bytes.length,
    (error) => (error instanceof LineFull ? 'too many' : String(error)),
  );
  const end = async () => {
    stream.push(null);
    await length;
    letGo(request);
    return length;
  };
  return { length, end };
}

test('large bodies that are on their way are few in memory, and small ones go by', async () => {
  const large = Buffer.alloc(MEBIBYTE + 1);
  // 16 are read, and twice as many wait.
  const many = Array.from({ length: 48 }, () => sending('192.0.2.1', large));
  assert.equal(await sending('192.0.2.1', large).end(), 'too many');
  assert.equal(await sending('192.0.2.2', large).end(), large.length, 'somebody else');
  assert.equal(await sending('192.0.2.1', Buffer.alloc(MEBIBYTE)).end(), MEBIBYTE);
  for (const each of many) assert.equal(await each.end(), large.length);
  assert.equal(await sending('192.0.2.1', large).end(), large.length, 'all have left');
});
