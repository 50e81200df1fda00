import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { writeBlob } from '#git/commits/commit.ts';
import { gitWorld, someClient } from '#git/fixtures.testing.ts';
import { SMALL_OBJECT } from '#git/objects/object-reader.ts';
import { WaiterGone } from '#runtime/concurrency-limiter.ts';
import { streamToClient } from './stream-limits.ts';

test('those of one network leave places for large objects to others, and who goes away gives up his wait', async (t) => {
  const { git, repository } = await gitWorld(t, { streams: 2 });
  const large = await writeBlob(git, repository, randomBytes(SMALL_OBJECT + 1));
  const ask = (clientAddress: string, { client } = someClient(), id = large) =>
    streamToClient(git, repository, id, { client, clientAddress });
  const first = await ask('192.0.2.1');
  const impatient = someClient();
  const waiting = ask('192.0.2.1', impatient);
  const other = await ask('192.0.2.2');
  const small = await ask('192.0.2.1', someClient(), await writeBlob(git, repository, Buffer.from('small')));
  assert.equal(small?.size, 5, 'a small one costs no process');
  impatient.leave();
  await assert.rejects(waiting, WaiterGone);
  const next = ask('192.0.2.1');
  for (const stream of [first, other]) stream?.content.destroy();
  (await next)?.content.destroy();
});
