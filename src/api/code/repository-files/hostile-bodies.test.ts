import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { JSON_TYPE, MEBIBYTE, sendChunked, setUp } from './large-bodies.testing.ts';

test('limits bodies over 20 MiB to three in 30 seconds, with or without Content-Length', async () => {
  const { server, clock } = await world();
  const { owner, repository, post, tip } = await setUp();
  const large = `{"branch":"main","commit_message":"m","content":"${'a'.repeat(21 * 1024 * 1024)}"}`;
  assert.equal((await post('one', JSON_TYPE, large)).status, 201);
  assert.equal(await sendChunked(server.address, owner, `${repository}/files/two`, MEBIBYTE, 21), 201);
  assert.equal((await post('three', JSON_TYPE, large)).status, 201);
  const before = await tip();
  const fourth = await post('four', JSON_TYPE, large);
  assert.equal(fourth.status, 429);
  assert.deepEqual(fourth.body, {
    message: { error: 'This endpoint has been requested too many times. Try again later.' },
  });
  assert.equal(fourth.headers['retry-after'], '30');
  assert.equal(await sendChunked(server.address, owner, `${repository}/files/five`, MEBIBYTE, 21), 429);
  assert.equal((await post('six', JSON_TYPE, '{"branch":"main","commit_message":"m","content":"x"}')).status, 201);
  clock.advance(30);
  assert.equal((await post('seven', JSON_TYPE, large)).status, 201);
  assert.notEqual(await tip(), before);
});
