import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { writeBlob } from '#git/commits/commit.ts';
import { createGitWorld, createTestClient } from '#git/fixtures.testing.ts';
import { MAX_BUFFERED_OBJECT } from '#git/objects/object-reader.ts';
import { ClientDisconnected } from '#runtime/concurrency-limiter.ts';
import { openStreamForClient } from './stream-limits.ts';

test('one network leaves slots for others, and a disconnected client stops waiting', async (t) => {
  const { git, repository } = await createGitWorld(t, { maxStreams: 2 });
  const large = await writeBlob(git, repository, randomBytes(MAX_BUFFERED_OBJECT + 1));
  const ask = (network: string, { client } = createTestClient(network), id = large) =>
    openStreamForClient(git, repository, id, client);
  const first = await ask('192.0.2.1');
  const impatient = createTestClient();
  const waiting = ask('192.0.2.1', impatient);
  const other = await ask('192.0.2.2');
  const small = await ask('192.0.2.1', createTestClient(), await writeBlob(git, repository, Buffer.from('small')));
  assert.equal(small?.size, 5, 'a small one costs no process');
  impatient.leave();
  await assert.rejects(waiting, ClientDisconnected);
  const next = ask('192.0.2.1');
  for (const stream of [first, other]) stream?.content.destroy();
  (await next)?.content.destroy();
});
