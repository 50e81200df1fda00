import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { basic } from '#test/examples/scene.ts';
import { world } from '#test/support/world.ts';
import { gunzipBody } from './serve.ts';

test('survives a body that does not match its declared encoding', async () => {
  const { project, owner, anonymous } = await world({ project: { visibility: 'public', readme: true } });
  const Authorization = `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}`;
  const whole = gzipSync('0000');
  for (const raw of [Buffer.from('not gzip'), whole.subarray(0, -9), Buffer.alloc(0), Buffer.concat([whole, whole])]) {
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      const sending = { raw, headers: { Authorization, 'Content-Encoding': 'gzip' } };
      const answer = await owner.send('POST', `//${project.path_with_namespace}.git/${service}`, sending);
      assert.deepEqual([answer.status, answer.text], [200, ''], `${service} ${raw.length}`);
    }
  }
  assert.equal((await anonymous.get(`${project.repository}/branches/main`)).status, 200);
});

test('accepts a gzipped push', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const { commit } = (await owner.post(`${project.repository}/branches`, { branch: 'b', ref: 'main' })).body;
  const line = `${commit.id} ${'0'.repeat(40)} refs/heads/b\0 report-status`;
  const raw = gzipSync(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
  const headers = { ...basic(owner), 'Content-Encoding': 'gzip' };
  const path = `//${project.path_with_namespace}.git/git-receive-pack`;
  assert.match((await owner.send('POST', path, { raw, headers })).text, /ok refs\/heads\/b/);
  assert.equal((await owner.get(`${project.repository}/branches/b`)).status, 404);
});

test('aborts reading when the client aborts a gzipped request', async () => {
  const input = new PassThrough();
  const read = gunzipBody(input);
  input.write(gzipSync('0000').subarray(0, 12));
  const closed = once(read, 'close');
  input.destroy();
  await closed;
  assert.equal(read.readableEnded, false);
});
