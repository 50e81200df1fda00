import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { runInReadQueue } from './read-queue.ts';

test('texts are read one after the other for a network, the short ones beside the long, and for others meanwhile', async () => {
  const { client } = createTestClient();
  const { promise: read, resolve: end } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const ask = (name: string, text: string, clientAddress: string) =>
    runInReadQueue({ client, clientAddress }, text, () => {
      begun.push(name);
      return read;
    });
  const long = 'x'.repeat(100_000);
  const asked = [ask('long', long, '192.0.2.1'), ask('the next long', long, '192.0.2.1')];
  asked.push(ask('short', 'x', '192.0.2.1'), ask('long of another', long, '192.0.2.2'));
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['long', 'short', 'long of another']);
  end();
  await Promise.all(asked);
  assert.equal(begun.at(-1), 'the next long');
});
