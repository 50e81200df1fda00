import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { HttpError } from '../errors/http-error.ts';
import { createBodyBuffer, releaseBodyMemory } from './body-memory.ts';
import type { IncomingRequest } from './incoming.ts';

const MEBIBYTE = Buffer.alloc(1024 * 1024);

/** Returns how many clients at this address can hold a mebibyte each, and the response to the next one. */
function fill(address: (index: number) => string) {
  const requests: IncomingRequest[] = [];
  for (;;) {
    const request = { client: createTestClient(address(requests.length)).client } as IncomingRequest;
    try {
      createBodyBuffer(request).push(MEBIBYTE);
      requests.push(request);
    } catch (error) {
      assert.ok(error instanceof HttpError);
      return { requests, refusal: error, end: () => requests.forEach(releaseBodyMemory) };
    }
  }
}

test('limits the memory of incoming bodies, per network and in total', () => {
  const one = fill(() => '192.0.2.1');
  assert.deepEqual([one.refusal.status, one.refusal.headers], [503, { 'Retry-After': '10' }]);
  const others = fill((index) => `198.51.100.${index}`);
  assert.deepEqual(
    [one.requests.length, others.requests.length],
    [64, 80],
    '16 are kept for networks that hold little',
  );
  one.end();
  others.end();
  const again = fill((index) => `198.51.100.${index}`);
  assert.equal(again.requests.length, 144, 'what was answered holds nothing');
  again.end();
});

test('a body sent byte by byte is parsed the same and uses little more memory than its bytes', () => {
  const request = { client: createTestClient().client } as IncomingRequest;
  const body = createBodyBuffer(request);
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  for (const byte of bytes.subarray(0, 200_000)) body.push(Buffer.of(byte));
  body.push(bytes.subarray(200_000, 250_000));
  for (const byte of bytes.subarray(250_000)) body.push(Buffer.of(byte));
  assert.equal(body.size, bytes.length);
  const chunks = body.chunks();
  assert.ok(chunks.length < 20, `${chunks.length} chunks`);
  assert.deepEqual(Buffer.concat(chunks), bytes);
  releaseBodyMemory(request);
});
