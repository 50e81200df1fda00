import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLfsPointer } from '#git/objects/lfs-pointer.ts';
import { browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { createContent, uploadObject } from '../lfs/client.testing.ts';

const scene = await world();
const { anonymous, newProject, root, tokenOf, user } = scene;

/** The path of a file, encoded by segments. */
const at = ({ path_with_namespace }: Project, refPath: string) =>
  `//${path_with_namespace}/-/raw/${refPath.split('/').map(encodeURIComponent).join('/')}`;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
const AVIF = Buffer.from('\0\0\0\x1cftypavif\0\0\0\0', 'latin1');
const BMP = Buffer.from('BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0', 'latin1');
const ICO = Buffer.from('\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\0\0', 'latin1');
const SVG =
  '<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE svg>\n<svg onload="alert(1)"><script>alert(2)</script></svg>';
const TEXT = 'text/plain; charset=utf-8';

test('sends images with their media type and everything else as text, by content, in a sandbox', async () => {
  const project = await newProject({ visibility: 'public' });
  const files: readonly (readonly [string, Buffer | string, string])[] = [
    ['a.html', PNG, 'image/png'],
    ['b', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), 'image/jpeg'],
    ['c', Buffer.from('GIF89a\0', 'latin1'), 'image/gif'],
    ['d', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), 'image/webp'],
    ['e', AVIF, 'image/avif'],
    ['f', BMP, 'image/bmp'],
    ['g', ICO, 'image/vnd.microsoft.icon'],
    ['h.txt', SVG, 'image/svg+xml'],
    ['i.svg', '<html><svg></svg></html>', TEXT],
    ['j.svg', '<svgx/>', TEXT],
    ['k.html', '<!doctype html><script>alert(1)</script>', TEXT],
    ['l.js', 'alert(1)', TEXT],
    ['m.bmp', 'BMW builds cars in Munich', TEXT],
    ['n', Buffer.from([1, 2, 0, 0xff]), TEXT],
    ['o', '', TEXT],
    ['p.svg', '<!-- never ends', TEXT],
  ];
  await project.commit(Object.fromEntries(files.map(([path, content]) => [path, content])));
  for (const [path, content, type] of files) {
    const { status, bytes, headers } = await anonymous.get(at(project, `main/${path}`));
    assert.deepEqual([status, bytes], [200, Buffer.from(content)], path);
    assert.equal(headers['content-type'], type, path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'; style-src 'unsafe-inline'");
    assert.equal(headers['content-disposition'], undefined);
    assert.match(String(headers['cache-control']), /no-store/);
  }
});

test('`inline=false` makes an attachment, and HEAD has the headers of GET', async () => {
  const project = await newProject({ visibility: 'public' });
  await project.commit({ 'lib/日本.txt': 'text' });
  const path = at(project, 'main/lib/日本.txt');
  const attachment = await anonymous.get(path, { inline: false });
  assert.equal(
    attachment.headers['content-disposition'],
    `attachment; filename="??.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`,
  );
  const head = await anonymous.head(path);
  assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, '4', 0]);
});

test('the first segment is the ref, or else the longest branch or tag', async () => {
  const project = await newProject({ visibility: 'public' });
  const first = await project.commit({ 'src/a.txt': 'main' });
  await project.commit({ 'src/a.txt': 'branch' }, { branch: 'fix/1' });
  await expectSuccess(project.owner.post(`${project.repository}/tags`, { tag_name: 'fix/1/src', ref: 'main' }));
  await project.commit({ 'a.txt': 'only here' }, { branch: 'v/x' });
  const get = async (refPath: string) => {
    const { status, text } = await anonymous.get(at(project, refPath));
    return status === 200 ? text : status;
  };
  assert.equal(await get('main/src/a.txt'), 'main');
  assert.equal(await get(`${first}/src/a.txt`), 'main');
  assert.equal(await get('HEAD/src/a.txt'), 'main');
  assert.equal(await get('v/x/a.txt'), 'only here');
  // The tag `fix/1/src` is longer than the branch `fix/1`, in which the path would exist.
  assert.equal(await get('fix/1/src/src/a.txt'), 'main');
  assert.equal(await get('fix/1/src/a.txt'), 404);
  for (const refPath of [
    'main',
    'main/src',
    'main/missing',
    'missing/a.txt',
    'fix/1',
    'main/../main/src/a.txt',
    '-x/a',
  ])
    assert.equal(await get(refPath), 404, refPath);
  assert.equal((await anonymous.get(`//${project.path_with_namespace}/-/raw/fix%2F1%2Fsrc/src/a.txt`)).text, 'main');
});

test('a path may contain `/-/`, and the first one ends the path of the project', async () => {
  const project = await newProject({ visibility: 'public' });
  await project.commit({ '-/blob/main/-/raw/x': 'x' });
  assert.equal((await anonymous.get(at(project, 'main/-/blob/main/-/raw/x'))).text, 'x');
  const page = await anonymous.get(`//${project.path_with_namespace}/-/blob/main/-/raw/x`, {});
  assert.equal(page.status, 404);
});

test('hidden projects answer 404, and Guests of private ones 403', async () => {
  const project = await newProject({ with: ['guest', 'reporter'] });
  await project.commit({ a: 'a' });
  const path = at(project, 'main/a');
  assert.equal((await anonymous.get(path)).status, 404);
  assert.equal((await (await user()).get(path)).status, 404);
  assert.equal((await project.guest.get(path)).status, 403);
  assert.equal((await project.reporter.get(path)).text, 'a');
  const readOnly = await tokenOf(project.reporter, ['read_api']);
  assert.equal((await readOnly.get(path)).text, 'a');
  await expectSuccess(root.put(project.at, { repository_access_level: 'disabled' }));
  assert.equal((await project.reporter.get(path)).status, 403);
});

test('a session is sufficient, and browsers get a page for errors', async () => {
  const project = await newProject();
  await project.commit({ a: 'a' });
  const member = await userWithPassword(scene);
  await project.addMember('reporter', member);
  const window = browser(scene);
  const html = { Accept: 'text/html' };
  const hidden = await window.get(at(project, 'main/a'), html);
  assert.deepEqual([hidden.status, hidden.headers['content-type']], [404, 'text/html; charset=utf-8']);
  await window.signIn(member.username, PASSWORD);
  assert.equal((await window.get(at(project, 'main/a'), html)).text, 'a');
});

test('sends an old file without a walk through the history', async (t) => {
  const project = await newProject({ visibility: 'public' });
  await project.commit({ old: 'old', new: '0' });
  for (let count = 1; count <= 20; count++) await project.commit({ new: String(count) });
  await anonymous.get(at(project, 'main/new'));
  const start = t.mock.method(scene.server.services.git.processes.children, 'add');
  assert.equal((await anonymous.get(at(project, 'main/old'))).text, 'old');
  assert.equal(start.mock.callCount(), 0);
});

test('an LFS pointer resolves to the object, whose content decides the media type', async () => {
  const project = await newProject({ visibility: 'public' });
  const image = createContent(PNG);
  await expectSuccess(uploadObject(project.owner, project, image));
  const missing = createContent();
  await project.commit({
    'image.bin': formatLfsPointer(image),
    'missing.bin': formatLfsPointer(missing),
    'quoted.txt': `> ${formatLfsPointer(image)}`,
  });
  const { status, bytes, headers } = await anonymous.get(at(project, 'main/image.bin'));
  assert.deepEqual([status, headers['content-type'], bytes], [200, 'image/png', image.bytes]);
  assert.equal((await anonymous.get(at(project, 'main/missing.bin'))).status, 404);
  assert.match((await anonymous.get(at(project, 'main/quoted.txt'))).text, /^> version https/);
  await expectSuccess(project.owner.put(project.at, { lfs_enabled: false }));
  assert.match((await anonymous.get(at(project, 'main/image.bin'))).text, /^version https/);
});

test('a renamed project redirects, and a large file is streamed', async () => {
  const project = await newProject({ visibility: 'public' });
  const large = Buffer.concat([PNG, Buffer.alloc(3 * 1024 ** 2, 7)]);
  await project.commit({ 'large.png': large });
  const path = at(project, 'main/large.png');
  const { headers, bytes } = await anonymous.get(path);
  assert.deepEqual([headers['content-type'], bytes.length], ['image/png', large.length]);
  await expectSuccess(project.owner.put(project.at, { path: scene.name('moved') }));
  const moved = await anonymous.get(path);
  assert.equal(moved.status, 301);
  assert.match(String(moved.headers.location), /\/moved[^/]*\/-\/raw\/main\/large\.png$/);
});
