import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createFile, fileUrl } from './fixtures.testing.ts';

await world();

/** Ten headers under two names each. */
const fileHeader =
  /^x-(?:service|gitlab)-(?:blob-id|commit-id|content-sha256|encoding|execute-filemode|file-name|file-path|last-commit-id|ref|size)$/;

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);

test('detects the type of raw files and never sends an executable type', async () => {
  const { project, owner } = await world({ project: {} });
  const files: [string, Buffer | string, string, string][] = [
    ['picture.html', png, 'image/png', 'inline'],
    ['photo', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), 'image/jpeg', 'inline'],
    ['moving', Buffer.from('GIF89a\0', 'latin1'), 'image/gif', 'inline'],
    ['web', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), 'image/webp', 'inline'],
    ['drawing.svg', '<svg onload="x"/>', 'text/plain; charset=utf-8', 'inline'],
    ['script.js', 'alert(1)', 'text/plain; charset=utf-8', 'inline'],
    ['latin1.txt', Buffer.from('caf\xe9', 'latin1'), 'application/octet-stream', 'attachment'],
    ['long.txt', `${'x'.repeat(8190)}日本`, 'text/plain; charset=utf-8', 'inline'],
    ['empty.bin', '', 'text/plain; charset=utf-8', 'inline'],
  ];
  await project.commit(Object.fromEntries(files.map(([path, content]) => [path, content])));
  for (const [path, content, type, kind] of files) {
    const answer = await owner.get(`${project.repository}/files/${path}/raw`);
    assert.deepEqual(answer.bytes, Buffer.from(content), path);
    assert.equal(answer.headers['content-type'], type, path);
    assert.equal(answer.headers['content-disposition'], `${kind}; filename="${path}"; filename*=UTF-8''${path}`);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.equal(answer.headers.expires, 'Fri, 01 Jan 1990 00:00:00 GMT');
  }
});

test('sends the headers of GET for HEAD, with the length and no body', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'lib/日本.txt': 'text' });
  const path = `${project.repository}/files/${encodeURIComponent('lib/日本.txt')}/raw`;
  const get = await owner.get(path);
  const head = await owner.head(path);
  assert.equal(head.status, 200);
  assert.equal(head.bytes.length, 0);
  const stay = (headers: object) =>
    Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id');
  assert.deepEqual(stay(head.headers), stay(get.headers));
  assert.equal(get.headers['content-length'], '4');
  assert.equal(Object.keys(get.headers).filter((name) => fileHeader.test(name)).length, 20);
  assert.equal(
    get.headers['content-disposition'],
    `inline; filename="??.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`,
  );
});

test('uses the default branch without a ref', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ a: 'main' });
  await project.commit({ a: 'draft' }, { branch: 'draft' });
  const raw = async (params: Record<string, string> = {}) =>
    (await owner.get(`${project.repository}/files/a/raw`, params)).text;
  assert.equal(await raw(), 'main');
  assert.equal(await raw({ ref: 'draft' }), 'draft');
  await owner.put(project.at, { default_branch: 'draft' });
  assert.equal(await raw(), 'draft');
  const blank = await owner.get(`${project.repository}/files/a/raw`, { ref: ' ' });
  assert.deepEqual([blank.status, blank.body], [400, { error: 'ref is empty' }]);
});

test('keeps CR in blamed lines and replaces invalid UTF-8; an empty file has no lines', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ odd: Buffer.from('a\r\n\xe9\nlast', 'latin1'), empty: '' });
  const blame = await owner.get(`${project.repository}/files/odd/blame`, { ref: 'main' });
  assert.deepEqual(blame.body[0].lines, ['a\r', '\ufffd', 'last']);
  assert.equal(Object.keys(blame.body[0].commit).length, 9);
  assert.equal(Object.keys(blame.headers).filter((name) => fileHeader.test(name)).length, 20);
  assert.equal(blame.headers['x-total'], undefined);
  for (const range of [{}, { 'range[start]': 1, 'range[end]': 1 }]) {
    assert.deepEqual((await owner.get(`${project.repository}/files/empty/blame`, { ref: 'main', ...range })).body, []);
  }
  const both = await owner.get(`${project.repository}/files/odd/blame`, { 'range[end]': 0 });
  assert.deepEqual(both.body, {
    error:
      'ref is missing, ref is empty, range[start] is missing, range[start] is empty, range[end] does not have a valid value',
  });
});

test('sends raw files uncached and never as an executable type', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'page.html', '<script>alert(1)</script>');
  const raw = await owner.get(fileUrl(project.repository, 'page.html', '/raw'));
  assert.equal(raw.status, 200);
  assert.equal(raw.text, '<script>alert(1)</script>');
  assert.equal(raw.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(raw.headers['cache-control'], 'max-age=0, private, must-revalidate, no-store, no-cache');
  assert.equal(raw.headers['content-disposition'], `inline; filename="page.html"; filename*=UTF-8''page.html`);
  assert.equal(raw.headers.etag, undefined);
  const bytes = Buffer.from([0, 1, 2, 255]);
  await createFile(owner, project.repository, 'data.bin', bytes.toString('base64'), { encoding: 'base64' });
  const binary = await owner.get(fileUrl(project.repository, 'data.bin', '/raw'));
  assert.deepEqual(binary.bytes, bytes);
  assert.equal(binary.headers['content-type'], 'application/octet-stream');
  assert.match(String(binary.headers['content-disposition']), /^attachment;/);
  await createFile(owner, project.repository, 'empty', '');
  const empty = await owner.get(fileUrl(project.repository, 'empty', '/raw'));
  assert.equal(empty.status, 200);
  assert.equal(empty.bytes.length, 0);
});

test('leaves no waiting work behind HEAD requests for large files', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const content = 'x'.repeat(1_200_000);
  await createFile(owner, project.repository, 'large.txt', content);
  const url = fileUrl(project.repository, 'large.txt', '/raw');
  // More than the limit of concurrent streams.
  for (let asked = 0; asked < 70; asked++) assert.equal((await owner.head(url)).headers['content-length'], '1200000');
  assert.equal((await owner.get(url)).text.length, content.length);
});
