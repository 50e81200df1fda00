import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { MEBIBYTE, readBytes } from './body.ts';
import { createBodyBuffer, releaseBodyMemory } from './body-memory.ts';
import type { IncomingRequest } from './incoming.ts';

/** A client there that has sent so many bytes of its body. */
function sending(clientAddress: string, chunk: Buffer, length?: number) {
  const stream = new Readable({ read() {} });
  stream.push(chunk);
  const { client } = createTestClient(clientAddress);
  const headers = length === undefined ? {} : { 'content-length': String(length) };
  const request = { headers, stream, idleTimeoutMs: 60_000, clientAddress, client } as unknown as IncomingRequest;
  const read = readBytes(request).then(
    (bytes) => bytes.length,
    (error) => (error instanceof QueueFull ? 'too many' : String(error)),
  );
  const end = async () => {
    stream.push(Buffer.alloc(Math.max(0, (length ?? 0) - chunk.length)));
    stream.push(null);
    await read;
    releaseBodyMemory(request);
    return read;
  };
  return { read, end };
}

test('limits concurrent large bodies without delaying small ones', async () => {
  const large = Buffer.alloc(MEBIBYTE + 1);
  // 16 are read, and twice as many wait.
  const many = Array.from({ length: 48 }, () => sending('192.0.2.1', large));
  assert.equal(await sending('192.0.2.1', large).end(), 'too many');
  assert.equal(await sending('192.0.2.2', large).end(), large.length, 'somebody else');
  assert.equal(await sending('192.0.2.1', Buffer.alloc(MEBIBYTE)).end(), MEBIBYTE);
  for (const each of many) assert.equal(await each.end(), large.length);
  assert.equal(await sending('192.0.2.1', large).end(), large.length, 'all have left');
});

test('small bodies pass and large ones wait while slow bodies use all memory', async () => {
  const large = 10 * MEBIBYTE;
  const slow = ['192.0.2.1', '192.0.2.2'].flatMap((address) =>
    Array.from({ length: 7 }, () => sending(address, Buffer.alloc(1), large)),
  );
  const small = Buffer.alloc(65_536);
  assert.equal(await sending('192.0.2.1', small).end(), small.length);
  assert.equal(await sending('192.0.2.3', small, small.length).end(), small.length, 'a neighbour');
  const between = sending('192.0.2.1', Buffer.alloc(1), MEBIBYTE * 4);
  for (const each of [...slow, between]) assert.ok(Number(await each.end()) >= MEBIBYTE * 4);
});

test('bodies of unknown length wait for enough memory, and at least one always completes', async () => {
  const unknown = Array.from({ length: 20 }, () => sending('192.0.2.1', Buffer.alloc(2 * MEBIBYTE)));
  for (const each of unknown) assert.equal(await each.end(), 2 * MEBIBYTE);
  const all = fillable();
  assert.equal(all, 64, 'nothing is held any more');
});

/** How many mebibytes a network can hold now. */
function fillable(): number {
  const request = { client: createTestClient().client } as IncomingRequest;
  const body = createBodyBuffer(request);
  try {
    for (;;) body.push(Buffer.alloc(MEBIBYTE));
  } catch {
    return body.chunks().length;
  } finally {
    releaseBodyMemory(request);
  }
}
