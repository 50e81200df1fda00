import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createFile, createProjectWithFile, fileUrl, getTip } from './fixtures.testing.ts';

const GOOD = { branch: 'main', commit_message: 'm', content: 'x' };

test('returns a file with all eleven fields', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const content = 'grüße\n';
  const created = await createFile(owner, project.repository, 'lib/grüße.txt', content);
  assert.deepEqual(created.body, { file_path: 'lib/grüße.txt', branch: 'main' });
  const bytes = Buffer.from(content);
  const answer = await owner.get(fileUrl(project.repository, 'lib/grüße.txt'), { ref: 'main' });
  assert.equal(answer.status, 200);
  const commit = await getTip(owner, project.repository);
  assert.deepEqual(answer.body, {
    file_name: 'grüße.txt',
    file_path: 'lib/grüße.txt',
    size: bytes.length,
    encoding: 'base64',
    content_sha256: createHash('sha256').update(bytes).digest('hex'),
    ref: 'main',
    blob_id: createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
    commit_id: commit,
    last_commit_id: commit,
    execute_filemode: false,
    content: bytes.toString('base64'),
  });
});

test('returns the fields of a file as headers under two names each', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const content = 'grüße\n';
  await createFile(owner, project.repository, 'lib/grüße.txt', content);
  const bytes = Buffer.from(content);
  const answer = await owner.get(fileUrl(project.repository, 'lib/grüße.txt'), { ref: 'main' });
  const commit = await getTip(owner, project.repository);
  const head = await owner.head(fileUrl(project.repository, 'lib/grüße.txt'), { ref: 'main' });
  assert.equal(head.status, 200);
  for (const prefix of ['x-service', 'x-gitlab']) {
    assert.equal(head.headers[`${prefix}-size`], String(bytes.length));
    assert.equal(Buffer.from(String(head.headers[`${prefix}-file-name`]), 'latin1').toString('utf8'), 'grüße.txt');
    assert.equal(head.headers[`${prefix}-last-commit-id`], commit);
    assert.equal(answer.headers[`${prefix}-blob-id`], answer.body.blob_id);
  }
});

test('returns the last commit of an old file, not the tip', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'old.txt', 'old');
  const first = await getTip(owner, project.repository);
  await createFile(owner, project.repository, 'new.txt', 'new');
  const { body } = await owner.get(fileUrl(project.repository, 'old.txt'), { ref: 'main' });
  assert.equal(body.last_commit_id, first);
  assert.notEqual(body.commit_id, first);
});

test('reports missing, blank and unknown refs, and paths that are not files', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'dir/file.txt', 'text');
  const get = (path: string, params: Record<string, unknown>) => owner.get(fileUrl(project.repository, path), params);
  const expected: [string, Record<string, unknown>, number, unknown][] = [
    ['dir/file.txt', {}, 400, { error: 'ref is missing, ref is empty' }],
    ['dir/file.txt', { ref: '' }, 400, { error: 'ref is empty' }],
    ['dir/file.txt', { ref: 'nothing' }, 404, { message: '404 Commit Not Found' }],
    ['nothing.txt', { ref: 'main' }, 404, { message: '404 File Not Found' }],
    ['dir', { ref: 'main' }, 404, { message: '404 File Not Found' }],
    ['../x', { ref: 'main' }, 400, { error: 'file_path should be a valid file path' }],
    ['a/../b', { ref: 'main' }, 400, { error: 'file_path should be a valid file path' }],
    ['/etc/passwd', { ref: 'main' }, 400, { error: 'file_path should be a valid file path' }],
  ];
  for (const [path, params, status, body] of expected) {
    const answer = await get(path, params);
    assert.equal(answer.status, status, path);
    assert.deepEqual(answer.body, body, path);
  }
});

test('round-trips unusual names literally', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  for (const path of ['a..b', '..hidden', 'x..', '-x', ':wq', '*.txt', '[a]', 'with blank', '"quoted"', 'v1.json']) {
    await createFile(owner, project.repository, path, path);
    const raw = await owner.get(fileUrl(project.repository, path, '/raw'));
    assert.equal(raw.text, path);
    const { body } = await owner.get(fileUrl(project.repository, path), { ref: 'main' });
    assert.equal(body.last_commit_id, await getTip(owner, project.repository), path);
  }
});

test('resolves branches, tags, ids and other revisions; a tag precedes a branch of its name', async () => {
  const { owner, commit, point, at } = await createProjectWithFile();
  const first = await commit({ 'a.txt': 'one' });
  const second = await commit({ 'a.txt': 'two' });
  await point('refs/tags/both', first);
  await point('refs/heads/both', second);
  const expected: [string, string][] = [
    ['main', second],
    ['HEAD', second],
    ['refs/heads/main', second],
    ['heads/both', second],
    ['both', first],
    ['tags/both', first],
    ['refs/tags/both', first],
    [first, first],
    [first.slice(0, 12), first],
    ['main~1', first],
    ['main^', first],
  ];
  for (const [ref, id] of expected) {
    const { body } = await owner.get(at('a.txt'), { ref });
    assert.deepEqual([body.commit_id, body.ref], [id, ref]);
  }
  for (const ref of ['-x', 'main:a.txt', 'a b', 'main~9', 'refs/heads']) {
    assert.equal((await owner.get(at('a.txt'), { ref })).body.message, '404 Commit Not Found', ref);
  }
});

test('sends unusual names in headers byte by byte, with escaped control characters', async () => {
  const { owner, commit, at } = await createProjectWithFile();
  for (const path of ['grüße 𝄞.txt', 'tab\there', ' blank ', 'bell\u0007']) {
    await commit({ [path]: 'x' });
    const { headers, status } = await owner.head(at(path), { ref: 'main' });
    assert.equal(status, 200);
    const name = Buffer.from(String(headers['x-gitlab-file-name']), 'latin1').toString('utf8');
    assert.equal(name, path.trim().replace('\t', '%09').replace('\u0007', '%07'));
    for (const form of ['', '/blame', '/raw']) {
      const answer = await owner.get(at(path, form), { ref: 'main' });
      assert.equal(answer.headers['x-gitlab-file-name'], headers['x-gitlab-file-name'], form);
    }
    assert.equal((await owner.get(at(path, '/raw'))).text, 'x');
  }
});

test('returns the target of a symbolic link and an empty submodule', async () => {
  const { owner, at, tip, id } = await createProjectWithFile();
  const { services } = (await world()).server;
  const { addSpecialEntries } = await import('./special-entries.testing.ts');
  const submodule = await addSpecialEntries(services, id, owner.id);
  const link = await owner.get(at('link'), { ref: 'main' });
  assert.equal(Buffer.from(link.body.content, 'base64').toString(), 'README.md');
  const module = await owner.get(at('module'), { ref: 'main' });
  assert.deepEqual([module.body.size, module.body.content, module.body.blob_id], [0, '', submodule]);
  const before = await tip();
  const put = await owner.put(at('module'), GOOD);
  assert.deepEqual([put.status, put.body.message], [400, 'A directory with this name already exists']);
  assert.equal(await tip(), before);
  assert.equal((await owner.put(at('link'), { ...GOOD, content: 'elsewhere' })).status, 200);
  assert.equal((await owner.get(at('link', '/raw'))).text, 'elsewhere');
  assert.equal((await owner.delete(at('module'), { branch: 'main', commit_message: 'm' })).status, 204);
});

test('returns 304 for a known ETag and never caches raw files', async () => {
  const { owner, at } = await createProjectWithFile();
  const first = await owner.get(at('README.md'), { ref: 'main' });
  const etag = String(first.headers.etag);
  assert.match(etag, /^W\/"/);
  const again = await owner.get(at('README.md'), { ref: 'main' }, { 'If-None-Match': etag });
  assert.equal(again.status, 304);
});

test('limits JSON reads of files over 10 MiB, but not HEAD and raw reads', async () => {
  const { clock } = await world();
  const { owner, commit, at } = await createProjectWithFile();
  await commit({ 'big.bin': Buffer.alloc(10_485_761) });
  const read = () => owner.get(at('big.bin'), { ref: 'main' });
  for (let time = 0; time < 5; time++) assert.equal((await read()).status, 200);
  const sixth = await read();
  assert.equal(sixth.status, 429);
  assert.equal(sixth.headers['retry-after'], '60');
  assert.deepEqual(sixth.body, {
    message: {
      error:
        "The requested blob is over the threshold size of 10485760.\nAccess this blob using '/projects/:id/repository/files/:file_path/raw' to avoid this error.\n",
    },
  });
  assert.equal((await owner.head(at('big.bin'), { ref: 'main' })).status, 200);
  assert.equal((await owner.get(at('big.bin', '/raw'))).bytes.length, 10_485_761);
  clock.advance(60);
  assert.equal((await read()).status, 200);
});

test('allows file reads with read_repository and no writes with read_api', async () => {
  const { tokenOf } = await world();
  const { owner, repository, at } = await createProjectWithFile();
  const reader = await tokenOf(owner, ['read_repository']);
  for (const tail of ['', '/blame', '/raw']) {
    assert.equal((await reader.get(at('README.md', tail), { ref: 'main' })).status, 200);
    assert.equal((await reader.head(at('README.md', tail), { ref: 'main' })).status, 200);
  }
  for (const [answer, scope] of [
    [await reader.get(`${repository}/branches`), 'api read_api'],
    [await reader.post(at('n'), GOOD), 'api'],
    [await (await tokenOf(owner, ['read_api'])).post(at('n'), GOOD), 'api'],
  ] as const) {
    assert.equal(answer.status, 403);
    assert.deepEqual([answer.body.error, answer.body.scope], ['insufficient_scope', scope]);
  }
});

test('requires a Reporter in private projects', async () => {
  const { root, anonymous, user } = await world();
  const { owner, id, at, addMember: add } = await createProjectWithFile();
  const [guest, reporter] = [await add('guest'), await add('reporter')];
  const read = async (caller: typeof owner) => {
    const { status, body } = await caller.get(at('README.md'), { ref: 'main' });
    return status === 200 ? 200 : `${status} ${body.message}`;
  };
  assert.equal(await read(anonymous), '404 404 Project Not Found');
  assert.equal(await read(await user()), '404 404 Project Not Found');
  assert.equal(await read(guest), '403 403 Forbidden');
  assert.equal(await read(reporter), 200);
  assert.equal(await read(root), 200);
  assert.equal((await owner.put(`/projects/${id}`, { visibility: 'public' })).status, 200);
  assert.equal(await read(anonymous), 200);
  assert.equal((await owner.put(`/projects/${id}`, { repository_access_level: 'disabled' })).status, 200);
  assert.equal(await read(owner), '403 403 Forbidden');
  assert.equal((await owner.post(at('n'), GOOD)).status, 403);
});
