import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClient } from '#git/fixtures.testing.ts';
import { runInReadQueue } from './page-content.ts';

test('reads one text at a time per network, short and long ones separately, networks concurrently', async () => {
  const { promise: read, resolve: end } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const ask = (name: string, text: string, network: string) =>
    runInReadQueue(createTestClient(network), text, () => {
      begun.push(name);
      return read;
    });
  const long = 'x'.repeat(100_000);
  const pending = [ask('long', long, '192.0.2.1'), ask('the next long', long, '192.0.2.1')];
  pending.push(ask('short', 'x', '192.0.2.1'), ask('long of another', long, '192.0.2.2'));
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['long', 'short', 'long of another']);
  end();
  await Promise.all(pending);
  assert.equal(begun.at(-1), 'the next long');
});
