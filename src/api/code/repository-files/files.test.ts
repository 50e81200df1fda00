import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type Caller, world } from '../../../../test/world.ts';

const fileUrl = (url: string, path: string, tail = '') => `${url}/files/${encodeURIComponent(path)}${tail}`;

async function write(caller: Caller, url: string, path: string, content: string, more: object = {}) {
  const params = { branch: 'main', content, commit_message: `Write ${path}`, ...more };
  const answer = await caller.post(fileUrl(url, path), params);
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

async function tip(caller: Caller, url: string, branch = 'main'): Promise<string> {
  return (await caller.get(`${url}/branches/${encodeURIComponent(branch)}`)).body.commit.id;
}

test('a file is shown with all its eleven fields, and with twenty headers', async () => {
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

test('raw answers are the bytes, never kept and never active', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await write(owner, project.repository, 'page.html', '<script>alert(1)</script>');
  const raw = await owner.get(fileUrl(project.repository, 'page.html', '/raw'));
  assert.equal(raw.status, 200);
  assert.equal(raw.text, '<script>alert(1)</script>');
  assert.equal(raw.headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(raw.headers['cache-control'], 'max-age=0, private, must-revalidate, no-store, no-cache');
  assert.equal(raw.headers['content-disposition'], `inline; filename="page.html"; filename*=UTF-8''page.html`);
  assert.equal(raw.headers.etag, undefined);
  const bytes = Buffer.from([0, 1, 2, 255]);
  await write(owner, project.repository, 'data.bin', bytes.toString('base64'), { encoding: 'base64' });
  const binary = await owner.get(fileUrl(project.repository, 'data.bin', '/raw'));
  assert.deepEqual(binary.bytes, bytes);
  assert.equal(binary.headers['content-type'], 'application/octet-stream');
  assert.match(String(binary.headers['content-disposition']), /^attachment;/);
  await write(owner, project.repository, 'empty', '');
  const empty = await owner.get(fileUrl(project.repository, 'empty', '/raw'));
  assert.equal(empty.status, 200);
  assert.equal(empty.bytes.length, 0);
});

test('blame groups neighbouring lines, by range, with the texts of wrong ranges', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await write(owner, project.repository, 'poem.txt', 'one\ntwo\nthree\n');
  const first = await tip(owner, project.repository);
  const changed = await owner.put(fileUrl(project.repository, 'poem.txt'), {
    branch: 'main',
    content: 'one\nTWO\nthree\n',
    commit_message: 'Louder',
  });
  assert.equal(changed.status, 200);
  const second = await tip(owner, project.repository);
  const blame = (params: Record<string, unknown>) =>
    owner.get(fileUrl(project.repository, 'poem.txt', '/blame'), { ref: 'main', ...params });
  const whole = await blame({});
  assert.deepEqual(
    whole.body.map(({ commit, lines }: { commit: { id: string }; lines: string[] }) => [commit.id, lines]),
    [
      [first, ['one']],
      [second, ['TWO']],
      [first, ['three']],
    ],
  );
  assert.deepEqual((await blame({ 'range[start]': 2, 'range[end]': 9 })).body.length, 2);
  assert.deepEqual((await blame({ 'range[start]': 7, 'range[end]': 9 })).body, []);
  const wrong: [Record<string, unknown>, unknown][] = [
    [{ 'range[start]': 1 }, { error: 'range[end] is missing, range[end] is empty' }],
    [
      { 'range[start]': -1, 'range[end]': 0 },
      { error: 'range[start] does not have a valid value, range[end] does not have a valid value' },
    ],
    [{ 'range[start]': '', 'range[end]': '' }, { error: 'range[start] is empty, range[end] is empty' }],
    [{ 'range[start]': 'x', 'range[end]': 1 }, { error: 'range[start] is invalid' }],
    [{ 'range[start]': 2, 'range[end]': 1 }, { message: 'range[start] must be less than or equal to range[end]' }],
  ];
  for (const [params, body] of wrong) {
    const answer = await blame(params);
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body, body);
  }
});

test('what is refused leaves the branch where it was', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await write(owner, project.repository, 'dir/file.txt', 'text');
  const before = await tip(owner, project.repository);
  const good = { branch: 'main', content: 'x', commit_message: 'm' };
  const cases: ['post' | 'put', string, Record<string, unknown>, string][] = [
    ['post', 'n', { ...good, branch: '' }, '400 Bad request - branch is required'],
    ['post', 'n', { ...good, commit_message: undefined }, '400 Bad request - commit_message is required'],
    ['post', 'n', { branch: 'main', commit_message: 'm' }, '400 Bad request - content is required'],
    ['post', 'n', { ...good, content: { a: 1 } }, '400 Bad request - content is invalid'],
    ['post', 'n', { ...good, encoding: 'hex' }, '400 Bad request - encoding must be text or base64'],
    ['post', 'n', { ...good, encoding: ['base64'] }, '400 Bad request - encoding must be text or base64'],
    ['post', 'n', { ...good, execute_filemode: 'maybe' }, '400 Bad request - execute_filemode must be a boolean'],
    ['post', 'n', { ...good, encoding: 'base64', content: '!!' }, '400 Bad request - content is not valid base64'],
    ['post', 'dir/file.txt', good, 'A file with this name already exists'],
    ['post', 'dir', good, 'A directory with this name already exists'],
    ['post', 'dir/file.txt/x', good, 'A file with this name already exists'],
    ['put', 'nothing', good, "A file with this name doesn't exist"],
    ['put', 'dir/file.txt', { ...good, content: 'text' }, 'The commit is empty: the file already has this content'],
    ['post', 'a//b', good, "invalid path: 'a//b'"],
    ['post', '.GIT/config', good, "invalid path: '.GIT/config'"],
    ['post', 'n', { ...good, branch: 'nowhere' }, 'You can only create or edit files when you are on a branch'],
    [
      'post',
      'n',
      { ...good, branch: 'bad..name', start_branch: 'main' },
      "Something went wrong when we tried to create 'bad..name' for you: Branch name is invalid",
    ],
    [
      'post',
      'n',
      { ...good, branch: 'a'.repeat(40), start_branch: 'main' },
      'You cannot create a branch with a SHA-1 or SHA-256 branch name.',
    ],
  ];
  for (const [method, path, params, message] of cases) {
    const answer = await owner[method](fileUrl(project.repository, path), params);
    assert.equal(answer.status, 400, `${method} ${path}: ${answer.text}`);
    assert.equal(answer.body.message, message);
  }
  assert.equal(await tip(owner, project.repository), before);
});

test('a stale last_commit_id is refused, the tip of the branch is a good one for an old file', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await write(owner, project.repository, 'a.txt', 'one');
  const first = await tip(owner, project.repository);
  await write(owner, project.repository, 'b.txt', 'other');
  const change = { branch: 'main', content: 'two', commit_message: 'm' };
  const fresh = await owner.put(fileUrl(project.repository, 'a.txt'), {
    ...change,
    last_commit_id: await tip(owner, project.repository),
  });
  assert.equal(fresh.status, 200);
  const stale = await owner.put(fileUrl(project.repository, 'a.txt'), {
    ...change,
    content: 'three',
    last_commit_id: first,
  });
  assert.equal(stale.status, 400);
  assert.equal(
    stale.body.message,
    'You are attempting to update a file that has changed since you started editing it.',
  );
  const gone = await owner.delete(fileUrl(project.repository, 'a.txt'), {
    branch: 'main',
    commit_message: 'm',
    last_commit_id: first,
  });
  assert.equal(gone.body.message, 'You are attempting to delete a file that has been previously updated.');
  const done = await owner.delete(fileUrl(project.repository, 'a.txt'), { branch: 'main', commit_message: 'm' });
  assert.equal(done.status, 204);
  assert.equal((await owner.get(fileUrl(project.repository, 'a.txt'), { ref: 'main' })).status, 404);
});

test('start_branch makes a branch at the new commit and stays where it is', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const before = await tip(owner, project.repository);
  await write(owner, project.repository, 'n.txt', 'x', { branch: 'feature', start_branch: 'main' });
  assert.equal(await tip(owner, project.repository), before);
  const { body } = await owner.get(`${project.repository}/branches/feature`);
  assert.deepEqual(body.commit.parent_ids, [before]);
  const again = await owner.post(fileUrl(project.repository, 'o.txt'), {
    branch: 'feature',
    start_branch: 'main',
    content: 'x',
    commit_message: 'm',
  });
  assert.equal(
    again.body.message,
    "A branch called 'feature' already exists. Switch to that branch in order to make changes",
  );
});

test('the mode of a file is set, kept and cleared', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await write(owner, project.repository, 'run.sh', 'one', { execute_filemode: true });
  const mode = async () =>
    (await owner.get(fileUrl(project.repository, 'run.sh'), { ref: 'main' })).body.execute_filemode;
  assert.equal(await mode(), true);
  const put = (params: object) =>
    owner.put(fileUrl(project.repository, 'run.sh'), { branch: 'main', commit_message: 'm', ...params });
  assert.equal((await put({ content: 'two' })).status, 200);
  assert.equal(await mode(), true);
  assert.equal((await put({ content: 'two', execute_filemode: false })).status, 200);
  assert.equal(await mode(), false);
});

test('bodies come as JSON, form or multipart; others have texts of their own', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const send = (path: string, type: string, raw: string) =>
    owner.send('POST', fileUrl(project.repository, path), { raw, headers: { 'Content-Type': type } });
  const form = await send(
    'form.txt',
    'application/x-www-form-urlencoded',
    'branch=main&content=a%2Bb+c&commit_message=m',
  );
  assert.equal(form.status, 201);
  assert.equal((await owner.get(fileUrl(project.repository, 'form.txt', '/raw'))).text, 'a+b c');
  const part = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = `${part('branch', 'main')}${part('content', 'multi')}${part('commit_message', 'm')}--x--\r\n`;
  assert.equal((await send('multi.txt', 'multipart/form-data; boundary=x', parts)).status, 201);
  const broken = await send('n', 'application/json', '{"a"');
  assert.deepEqual([broken.status, broken.body], [400, { message: 'Invalid json', error: 'Invalid json' }]);
  const foreign = await send('n', 'text/plain', 'x');
  assert.equal(foreign.body.message, '400 Bad request - Unsupported Content-Type: text/plain');
});

test('who may write where, and what the others are told', async () => {
  const { project, owner, developer, reporter, anonymous, user } = await world({
    project: { readme: true, with: ['reporter', 'developer'] },
  });
  const good = { branch: 'main', content: 'x', commit_message: 'm' };
  const refused = { message: '403 Forbidden - You are not allowed to push into this branch' };
  assert.deepEqual((await anonymous.post(fileUrl(project.repository, 'n'), good)).body, {
    message: '401 Unauthorized',
  });
  assert.equal((await (await user()).post(fileUrl(project.repository, 'n'), good)).status, 404);
  assert.deepEqual((await reporter.post(fileUrl(project.repository, 'n'), good)).body, refused);
  assert.deepEqual((await developer.post(fileUrl(project.repository, 'n'), good)).body, refused);
  const onOwn = await developer.post(fileUrl(project.repository, 'n'), {
    ...good,
    branch: 'mine',
    start_branch: 'main',
  });
  assert.equal(onOwn.status, 201);
  const deleting = await developer.delete(fileUrl(project.repository, 'README.md'), {
    branch: 'main',
    commit_message: 'm',
  });
  assert.deepEqual(
    [deleting.status, deleting.body],
    [400, { message: 'You are not allowed to push into this branch' }],
  );
  await owner.post(`${project.at}/archive`);
  assert.deepEqual((await owner.post(fileUrl(project.repository, 'n'), good)).body, refused);
});

test('ten writers of one branch: every 201 is in the history, every other answer is a 400', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const paths = Array.from({ length: 10 }, (_, index) => `w${index}.txt`);
  const answers = await Promise.all(
    paths.map((path) =>
      owner.post(fileUrl(project.repository, path), { branch: 'main', content: path, commit_message: path }),
    ),
  );
  for (const [index, answer] of answers.entries()) {
    assert.ok(answer.status === 201 || answer.status === 400, answer.text);
    const there = await owner.get(fileUrl(project.repository, paths[index]!), { ref: 'main' });
    assert.equal(there.status, answer.status === 201 ? 200 : 404);
  }
  const same = await Promise.all(
    [1, 2].map((content) =>
      owner.post(fileUrl(project.repository, 'one.txt'), {
        branch: 'main',
        content: `${content}`,
        commit_message: 'm',
      }),
    ),
  );
  assert.deepEqual(same.map(({ status }) => status).sort(), [201, 400]);
});

test('the first file of an empty repository makes its default branch, protected', async () => {
  const { user, name } = await world();
  const owner = await user();
  const { body } = await owner.post('/projects', { name: name('empty') });
  const url = `/projects/${body.id}/repository`;
  assert.equal((await owner.get(fileUrl(url, 'x'), { ref: 'main' })).body.message, '404 Commit Not Found');
  await write(owner, url, 'x', 'first', { branch: 'trunk' });
  const project = await owner.get(`/projects/${body.id}`);
  assert.equal(project.body.default_branch, 'trunk');
  assert.equal(project.body.empty_repo, false);
  const rules = await owner.get(`/projects/${body.id}/protected_branches`);
  assert.equal(rules.body[0].name, 'trunk');
});
