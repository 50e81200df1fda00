import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { commitTree, writeDeepTree } from '#git/objects/bombs.testing.ts';
import { formatLfsPointer } from '#git/objects/lfs-pointer.ts';
import { browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { anonymous, newProject } = here;

/** Names of the regular files in a tar. */
function namesInTar(tar: Buffer): string[] {
  const listed = execFileSync('tar', ['-tf', '-'], { input: tar }).toString('utf8');
  return listed.split('\n').filter((name) => name !== '' && !name.endsWith('/'));
}

const FORMATS = {
  '': 'tar.gz',
  '.tar.gz': 'tar.gz',
  '.tgz': 'tar.gz',
  '.gz': 'tar.gz',
  '.tar.bz2': 'tar.bz2',
  '.tbz': 'tar.bz2',
  '.tbz2': 'tar.bz2',
  '.tb2': 'tar.bz2',
  '.bz2': 'tar.bz2',
  '.tar': 'tar',
  '.zip': 'zip',
};

test('selects the format by suffix and names the root folder after the file', async () => {
  const { project, owner } = await world({ project: {} });
  const sha = await project.commit({ 'a.txt': 'a', 'dir/b.txt': 'b' });
  const prefix = `${project.path_with_namespace.split('/').at(-1)}-main-${sha}`;
  const all = [`${prefix}/a.txt`, `${prefix}/dir/b.txt`];
  for (const [suffix, format] of Object.entries(FORMATS)) {
    const { status, headers, bytes } = await owner.get(`${project.repository}/archive${suffix}`);
    assert.equal(status, 200, suffix);
    const name = `${prefix}.${format}`;
    assert.equal(headers['content-disposition'], `attachment; filename="${name}"`);
    assert.equal(headers['content-type'], format === 'zip' ? 'application/zip' : 'application/octet-stream');
    if (format === 'tar') assert.deepEqual(namesInTar(bytes), all);
    if (format === 'tar.gz') assert.deepEqual(namesInTar(gunzipSync(bytes)), all);
    if (format === 'tar.bz2') assert.equal(bytes.toString('latin1', 0, 3), 'BZh');
    if (format === 'zip') assert.equal(bytes.toString('latin1', 0, 4), 'PK\x03\x04');
    assert.ok(
      bytes.equals((await owner.get(`${project.repository}/archive${suffix}`)).bytes),
      `${suffix}: equal bytes`,
    );
  }
  const unknown = await owner.get(`${project.repository}/archive.rar`);
  assert.deepEqual([unknown.status, unknown.body], [404, { error: '404 Not Found' }]);
});

test('gives a non-ASCII file name in both Content-Disposition forms', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  for (const [branch, plain, encoded] of [
    ['ü', '?', '%C3%BC'],
    ['a"b', 'a_b', 'a%22b'],
  ] as const) {
    const created = await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
    const prefix = project.path_with_namespace.split('/').at(-1);
    const rest = `${created.body.commit.id}.tar`;
    const { headers } = await owner.head(`${project.repository}/archive.tar`, { sha: branch });
    const names = `filename="${prefix}-${plain}-${rest}"; filename*=UTF-8''${prefix}-${encoded}-${rest}`;
    assert.equal(headers['content-disposition'], `attachment; ${names}`);
  }
});

test('the address of an archive names ref and format, and the commit unless the file is called after project and ref', async () => {
  const { project } = await world({ project: { visibility: 'public' } });
  const sha = await project.commit({ 'a.txt': 'a', 'dir/b.txt': 'b' }, { branch: 'main' });
  await project.owner.post(`${project.repository}/branches`, { branch: 'fix/1', ref: 'main' });
  const at = `//${project.path_with_namespace}/-/archive`;
  const path = project.path_with_namespace.split('/').at(-1);
  const named = await anonymous.get(`${at}/fix/1/${path}-fix-1.tar`);
  assert.equal(named.headers['content-disposition'], `attachment; filename="${path}-fix-1.tar"`);
  assert.deepEqual(namesInTar(named.bytes), [`${path}-fix-1/a.txt`, `${path}-fix-1/dir/b.txt`]);
  const other = await anonymous.get(`${at}/${sha}/x.tar.gz`, { path: 'dir' });
  assert.deepEqual(namesInTar(gunzipSync(other.bytes)), [`${path}-${sha}-${sha}-dir/dir/b.txt`]);
  assert.equal((await anonymous.get(`${at}/main.zip`)).headers['content-type'], 'application/zip');
  for (const missing of ['main/x.rar', 'main', 'missing/x.zip', 'main/zip'])
    assert.equal((await anonymous.get(`${at}/${missing}`)).status, 404, missing);
});

test('the address of an archive of a hidden project answers 404, and to a session of a member the archive', async () => {
  const { project } = await world({ project: { readme: true } });
  const member = await userWithPassword(here);
  await project.addMember('reporter', member);
  const path = `//${project.path_with_namespace}/-/archive/main/x.zip`;
  const window = browser(here);
  assert.equal((await window.get(path)).status, 404);
  await window.signIn(member.username, PASSWORD);
  assert.equal((await window.get(path)).status, 200);
});

test('archives the default branch without a ref, even if a tag has the same name', async () => {
  const { project, owner } = await world({ project: {} });
  const old = await project.commit({ 'a.txt': 'a' });
  await owner.post(`${project.repository}/tags`, { tag_name: 'trunk', ref: 'main' });
  const tip = await project.commit({ 'b.txt': 'b' });
  await owner.post(`${project.repository}/branches`, { branch: 'trunk', ref: 'main' });
  assert.equal((await owner.put(project.at, { default_branch: 'trunk' })).status, 200);
  const path = project.path_with_namespace.split('/').at(-1);
  const { headers, bytes } = await owner.get(`${project.repository}/archive.tar`);
  assert.match(headers['content-disposition'] ?? '', new RegExp(`filename="${path}-trunk-${tip}\\.tar"`));
  assert.deepEqual(namesInTar(bytes), [`${path}-trunk-${tip}/a.txt`, `${path}-trunk-${tip}/b.txt`]);
  const tagged = await owner.get(`${project.repository}/archive.tar`, { sha: 'trunk' });
  assert.deepEqual(namesInTar(tagged.bytes), [`${path}-trunk-${old}/a.txt`]);
});

test('archives one path of a commit and excludes paths', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'a', 'dir/sub/b.txt': 'b', 'dir/c.txt': 'c' });
  const sha = await project.commit({ 'a.txt': '2' }, { branch: 'feature/x', message: 'x', at: 1_700_000_100 });
  const names = async (params: object) => {
    const { status, bytes, text } = await owner.get(`${project.repository}/archive.tar`, { ...params });
    assert.equal(status, 200, text);
    return namesInTar(bytes).map((name) => name.slice(name.indexOf('/') + 1));
  };
  assert.deepEqual(await names({ path: 'dir' }), ['dir/c.txt', 'dir/sub/b.txt']);
  assert.deepEqual(await names({ path: '/dir/sub/' }), ['dir/sub/b.txt']);
  assert.deepEqual(await names({ exclude_paths: 'a.txt, dir/sub' }), ['dir/c.txt']);
  assert.deepEqual(await names({ exclude_paths: ['dir', '../x', '/a.txt/'], path: '' }), ['a.txt']);
  const tooLong = await owner.get(`${project.repository}/archive.tar`, { exclude_paths: '\n'.repeat(4097) });
  const error = 'exclude_paths is too long (maximum is 4096 bytes)';
  assert.deepEqual([tooLong.status, tooLong.body], [400, { error }]);
  const { headers } = await owner.get(`${project.repository}/archive.zip`, { sha: 'feature/x', path: 'dir/sub' });
  assert.match(String(headers['content-disposition']), new RegExp(`filename="[\\w-]+-feature-x-${sha}-dir-sub\\.zip"`));
});

test('returns 404 for unknown refs and paths, and the headers alone for HEAD', async () => {
  const empty = await newProject();
  const missing = { message: '404 File Not Found' };
  assert.deepEqual((await empty.owner.get(`${empty.repository}/archive`)).body, missing);
  const { owner, repository, commit } = await newProject();
  await commit({ 'a.txt': 'a' });
  for (const params of [{ sha: 'nowhere' }, { sha: '--output=x' }, { path: 'nowhere' }, { path: '../a.txt' }]) {
    const answer = await owner.get(`${repository}/archive.zip`, params);
    assert.deepEqual([answer.status, answer.body], [404, missing], JSON.stringify(params));
  }
  const head = await owner.head(`${repository}/archive.zip`);
  assert.deepEqual([head.status, head.headers['content-type']], [200, 'application/zip']);
});

test('equal archives are built once, and kept for who may read the repository', async () => {
  const { project, owner, user, server, root, runJobs } = await world({ project: { visibility: 'public' } });
  const sha = await project.commit({ 'a.txt': 'a' });
  const path = `${project.repository}/archive.tar.gz`;
  const stranger = await user();
  const answers = await Promise.all([owner.get(path), stranger.get(path, { sha }), owner.get(path), owner.get(path)]);
  const [first, bySha, ...others] = answers.map(({ bytes }) => bytes);
  assert.ok(others.every((bytes) => bytes.equals(first!)));
  assert.equal(bySha!.equals(first!), false);
  const kept = async () => (await readdir(join(server.services.config.dataDir, 'archives'))).length;
  const count = await kept();
  assert.ok((await owner.get(path)).bytes.equals(first!));
  assert.equal(await kept(), count);
  await owner.put(project.at, { visibility: 'private' });
  assert.equal((await stranger.get(path)).status, 404);
  await root.delete(project.at);
  const { path_with_namespace: full_path } = (await root.get(`/projects/${project.id}`)).body;
  await root.delete(`/projects/${project.id}`, { permanently_remove: true, full_path });
  await runJobs();
  assert.equal(await kept(), count - 2);
});

const CONTENT = Buffer.concat([Buffer.from([0, 255, 10]), Buffer.alloc(5000, 65)]);
const OID = createHash('sha256').update(CONTENT).digest('hex');
const POINTER = formatLfsPointer({ oid: OID, size: CONTENT.length });
const UNLINKED = formatLfsPointer({ oid: 'f'.repeat(64), size: 3 });
const PLAIN = Buffer.from([1, 0, 2, 10]);

/** A project with an LFS object, and the content of a file in its archive. */
async function createProjectWithLfsObject() {
  const { project, owner } = await world({ project: {} });
  const headers = { Authorization: `Basic ${Buffer.from(`x:${owner.token}`).toString('base64')}` };
  const path = `//${project.path_with_namespace}.git/gitlab-lfs/objects/${OID}/${CONTENT.length}`;
  const stored = await owner.send('PUT', path, { raw: CONTENT, headers });
  assert.equal(stored.status, 200, stored.text);
  const files = { 'a.bin': POINTER, 'b.bin': UNLINKED, 'c.bin': PLAIN, 'd.txt': POINTER };
  await project.commit({ '.gitattributes': '*.bin filter=lfs\n', ...files });
  return async (params: object) => {
    const { bytes } = await owner.get(`${project.repository}/archive.tar`, { ...params });
    return (name: string) => execFileSync('tar', ['-xOf', '-', '--wildcards', `*/${name}`], { input: bytes });
  };
}

test('replaces LFS pointers by the objects of the project', async () => {
  const packed = await createProjectWithLfsObject();
  const whole = await packed({});
  assert.ok(whole('a.bin').equals(CONTENT), 'the object');
  assert.ok(whole('b.bin').equals(UNLINKED), 'an object that the project lacks');
  assert.ok(whole('c.bin').equals(PLAIN), 'no pointer');
  assert.ok(whole('d.txt').equals(POINTER), 'no LFS file');
});

test('keeps LFS pointers with include_lfs_blobs=false', async () => {
  const packed = await createProjectWithLfsObject();
  const without = await packed({ include_lfs_blobs: false });
  assert.ok(without('a.bin').equals(POINTER));
});

test('limits archives to five a minute per caller with the feature flag on', async () => {
  const { project, owner, root, clock } = await world({ project: { visibility: 'public' } });
  await project.commit({ 'a.txt': 'a' });
  for (let time = 0; time < 7; time += 1) assert.equal((await owner.get(`${project.repository}/archive`)).status, 200);
  const flag = await root.post('/features/archive_rate_limit', { value: true });
  assert.equal(flag.status, 201, flag.text);
  for (let time = 0; time < 5; time += 1)
    assert.equal((await owner.get(`${project.repository}/archive.zip`)).status, 200);
  const refused = await owner.get(`${project.repository}/archive`);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60']);
  assert.deepEqual(refused.body, {
    message: { error: 'This endpoint has been requested too many times. Try again later.' },
  });
  assert.equal((await root.get(`${project.repository}/archive`)).status, 200, 'other callers have their own limit');
  clock.advance(60);
  assert.equal((await owner.get(`${project.repository}/archive`)).status, 200);
  await root.delete('/features/archive_rate_limit');
});

test('counts all addresses of one IPv6 network together', async () => {
  const env = { HEARTH_TRUSTED_PROXIES: '127.0.0.1' };
  const { project, root, anonymous } = await world({ env, project: { visibility: 'public' } });
  await project.commit({ 'a.txt': 'a' });
  await root.post('/features/archive_rate_limit', { value: true });
  const pack = async (address: string) =>
    (await anonymous.get(`${project.repository}/archive`, {}, { 'X-Forwarded-For': address })).status;
  for (let end = 1; end <= 5; end++) assert.equal(await pack(`2001:db8::${end}`), 200);
  assert.equal(await pack('2001:db8::6'), 429);
  assert.equal(await pack('2001:db8:0:1::6'), 200);
});

test('rejects an archive with a longer path than any file system holds', async () => {
  const { project, owner } = await world({ project: {} });
  const message = 'The archive would be too large, or a path in it is longer than 4096 bytes';
  for (const [levels, status] of [
    [2047, 200],
    [2048, 422],
  ] as const) {
    const sha = await project.store(async (git, repository) =>
      commitTree(git, repository, await writeDeepTree(git, repository, levels)),
    );
    for (const suffix of ['.tar', '.tar.gz', '.zip']) {
      const answer = await owner.get(`${project.repository}/archive${suffix}`, { sha });
      assert.equal(answer.status, status, `${levels} folders, ${suffix}`);
      if (status === 422) assert.deepEqual(answer.body, { message });
    }
  }
});

test('rejects the parameter format, which selects no format of the archive', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'a' });
  for (const suffix of ['', '.zip'])
    for (const format of ['zip', 'tar.gz']) {
      const { status, body } = await owner.get(`${project.repository}/archive${suffix}`, { format });
      assert.deepEqual([status, body], [406, { error: `The requested format '${format}' is not supported.` }]);
    }
  assert.equal((await owner.get(`${project.repository}/archive.zip`, { format: 'json' })).status, 200);
});
