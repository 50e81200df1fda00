import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { fileUrl, given, tip, write } from './fixtures.testing.ts';

const GOOD = { branch: 'main', commit_message: 'm', content: 'x' };

test('a file is shown with all its eleven fields', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const content = 'grüße\n';
  const made = await write(owner, project.repository, 'lib/grüße.txt', content);
  assert.deepEqual(made.body, { file_path: 'lib/grüße.txt', branch: 'main' });
  const bytes = Buffer.from(content);
  const answer = await owner.get(fileUrl(project.repository, 'lib/grüße.txt'), { ref: 'main' });
  assert.equal(answer.status, 200);
  const commit = await tip(owner, project.repository);
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

test('the fields of a file are headers, each under two names', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const content = 'grüße\n';
  await write(owner, project.repository, 'lib/grüße.txt', content);
  const bytes = Buffer.from(content);
  const answer = await owner.get(fileUrl(project.repository, 'lib/grüße.txt'), { ref: 'main' });
  const commit = await tip(owner, project.repository);
  const head = await owner.head(fileUrl(project.repository, 'lib/grüße.txt'), { ref: 'main' });
  assert.equal(head.status, 200);
  for (const prefix of ['x-service', 'x-gitlab']) {
    assert.equal(head.headers[`${prefix}-size`], String(bytes.length));
    assert.equal(Buffer.from(String(head.headers[`${prefix}-file-name`]), 'latin1').toString('utf8'), 'grüße.txt');
    assert.equal(head.headers[`${prefix}-last-commit-id`], commit);
    assert.equal(answer.headers[`${prefix}-blob-id`], answer.body.blob_id);
  }
});

test('last_commit_id of an old file is not the tip', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await write(owner, project.repository, 'old.txt', 'old');
  const first = await tip(owner, project.repository);
  await write(owner, project.repository, 'new.txt', 'new');
  const { body } = await owner.get(fileUrl(project.repository, 'old.txt'), { ref: 'main' });
  assert.equal(body.last_commit_id, first);
  assert.notEqual(body.commit_id, first);
});

test('refs that are missing, blank or unknown, and paths that are not files', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await write(owner, project.repository, 'dir/file.txt', 'text');
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

test('odd names round-trip, taken literally', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  for (const path of ['a..b', '..hidden', 'x..', '-x', ':wq', '*.txt', '[a]', 'with blank', '"quoted"', 'v1.json']) {
    await write(owner, project.repository, path, path);
    const raw = await owner.get(fileUrl(project.repository, path, '/raw'));
    assert.equal(raw.text, path);
    const { body } = await owner.get(fileUrl(project.repository, path), { ref: 'main' });
    assert.equal(body.last_commit_id, await tip(owner, project.repository), path);
  }
});

test('a ref is a branch, a tag, an id or what git makes of it; the tag wins over the branch of its name', async () => {
  const { owner, commit, point, at } = await given();
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

test('odd names are in the headers byte for byte, control characters as escapes', async () => {
  const { owner, commit, at } = await given();
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

test('symbolic links are their targets, submodules are empty and stay what they are', async () => {
  const { owner, at, tip, id } = await given();
  const { services } = (await world()).server;
  const { repositoryWithOddEntries } = await import('./special-entries.testing.ts');
  const submodule = await repositoryWithOddEntries(services, id, owner.id);
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

test('an answer that is known is 304; raw ones are never kept', async () => {
  const { owner, at } = await given();
  const first = await owner.get(at('README.md'), { ref: 'main' });
  const etag = String(first.headers.etag);
  assert.match(etag, /^W\/"/);
  const again = await owner.get(at('README.md'), { ref: 'main' }, { 'If-None-Match': etag });
  assert.equal(again.status, 304);
});

test('of blobs over 10 MiB the sixth in a minute is 429; HEAD and raw are not counted', async () => {
  const { clock } = await world();
  const { owner, commit, at } = await given();
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

test('read_repository reads files and nothing else; read_api writes nothing', async () => {
  const { tokenOf } = await world();
  const { owner, repository, at } = await given();
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

test('who may read: members of a private project with Reporter, a Guest not, strangers see nothing', async () => {
  const { root, anonymous, user } = await world();
  const { owner, id, at, add } = await given();
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
