import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const blobSha = (content: Buffer) =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

test('finds a blob by its full or abbreviated id', async () => {
  const { project, owner } = await world({ project: {} });
  const content = Buffer.from('foo');
  const id = await project.commit({ 'a.txt': content, 'empty.txt': '' });
  const sha = blobSha(content);
  const whole = { size: 3, encoding: 'base64', content: 'Zm9v', sha };
  assert.deepEqual((await owner.get(`${project.repository}/blobs/${sha}`)).body, whole);
  assert.deepEqual((await owner.get(`${project.repository}/blobs/${sha.slice(0, 10)}`)).body, whole);
  const empty = await owner.get(`${project.repository}/blobs/${blobSha(Buffer.alloc(0))}`);
  assert.deepEqual([empty.body.size, empty.body.content], [0, '']);
  for (const other of [id, 'f'.repeat(40), 'main', 'a.txt', 'main%3Aa.txt', 'abc']) {
    const missing = await owner.get(`${project.repository}/blobs/${other}`);
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Blob Not Found' }], other);
    assert.equal((await owner.get(`${project.repository}/blobs/${other}/raw`)).status, 404);
  }
});

test('sends raw blobs without caching and never as an executable type', async () => {
  const { project, anonymous } = await world({ project: { visibility: 'public' } });
  const html = Buffer.from('<script>alert(1)</script>');
  const bytes = Buffer.concat([Buffer.from([0, 255, 1]), Buffer.alloc(3 * 1024 * 1024, 7)]);
  await project.commit({ 'a.html': html, 'b.bin': bytes, 'empty.txt': '' });
  const text = await anonymous.get(`${project.repository}/blobs/${blobSha(html)}/raw`);
  assert.deepEqual(text.bytes, html);
  const { headers } = text;
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(headers['content-disposition'], 'inline');
  assert.equal(headers['cache-control'], 'max-age=0, private, must-revalidate, no-store, no-cache');
  assert.equal(headers['content-length'], String(html.length));
  assert.equal(headers.etag, undefined);
  const large = await anonymous.get(`${project.repository}/blobs/${blobSha(bytes)}/raw`);
  assert.ok(large.bytes.equals(bytes));
  assert.equal(large.headers['content-type'], 'application/octet-stream');
  const head = await anonymous.head(`${project.repository}/blobs/${blobSha(bytes)}/raw`);
  assert.deepEqual([head.status, head.headers['content-length']], [200, String(bytes.length)]);
  assert.equal((await anonymous.get(`${project.repository}/blobs/${blobSha(Buffer.alloc(0))}/raw`)).text, '');
});

test('limits JSON reads of blobs over 10 MiB to five a minute, but not raw reads', async () => {
  const { project, owner, clock } = await world({ project: {} });
  const content = Buffer.alloc(10_485_761, 120);
  await project.commit({ 'large.txt': content });
  const path = `${project.repository}/blobs/${blobSha(content)}`;
  for (let reading = 0; reading < 5; reading += 1) assert.equal((await owner.get(path)).status, 200);
  const refused = await owner.get(path);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60']);
  assert.match(
    refused.body.message.error,
    /^The requested blob is over the threshold size of 10485760\.\nAccess this blob/,
  );
  assert.equal((await owner.get(`${path}/raw`)).bytes.length, content.length);
  clock.advance(60);
  assert.equal((await owner.get(path)).body.size, content.length);
});
