import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createFile, createProjectWithFile, fileUrl, getTip } from './fixtures.testing.ts';

const GOOD = { branch: 'main', content: 'x', commit_message: 'm' };
const REJECTED_WRITES: ['post' | 'put', string, Record<string, unknown>, string][] = [
  ['post', 'n', { ...GOOD, branch: '' }, '400 Bad request - branch is required'],
  ['post', 'n', { ...GOOD, commit_message: undefined }, '400 Bad request - commit_message is required'],
  ['post', 'n', { branch: 'main', commit_message: 'm' }, '400 Bad request - content is required'],
  ['post', 'n', { ...GOOD, content: { a: 1 } }, '400 Bad request - content is invalid'],
  ['post', 'n', { ...GOOD, encoding: 'hex' }, '400 Bad request - encoding must be text or base64'],
  ['post', 'n', { ...GOOD, encoding: ['base64'] }, '400 Bad request - encoding must be text or base64'],
  ['post', 'n', { ...GOOD, execute_filemode: 'maybe' }, '400 Bad request - execute_filemode must be a boolean'],
  ['post', 'n', { ...GOOD, encoding: 'base64', content: '!!' }, '400 Bad request - content is not valid base64'],
  ['post', 'dir/file.txt', GOOD, 'A file with this name already exists'],
  ['post', 'dir', GOOD, 'A directory with this name already exists'],
  ['post', 'dir/file.txt/x', GOOD, 'A file with this name already exists'],
  ['put', 'nothing', GOOD, "A file with this name doesn't exist"],
  ['put', 'dir/file.txt', { ...GOOD, content: 'text' }, 'The commit is empty: the file already has this content'],
  ['post', 'a//b', GOOD, "invalid path: 'a//b'"],
  ['post', '.GIT/config', GOOD, "invalid path: '.GIT/config'"],
  ['post', 'n', { ...GOOD, branch: 'nowhere' }, 'You can only create or edit files when you are on a branch'],
  [
    'post',
    'n',
    { ...GOOD, branch: 'bad..name', start_branch: 'main' },
    "Something went wrong when we tried to create 'bad..name' for you: Branch name is invalid",
  ],
  [
    'post',
    'n',
    { ...GOOD, branch: 'a'.repeat(40), start_branch: 'main' },
    'You cannot create a branch with a SHA-1 or SHA-256 branch name.',
  ],
];

test('leaves the branch unchanged after a rejected write', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'dir/file.txt', 'text');
  const before = await getTip(owner, project.repository);
  for (const [method, path, params, message] of REJECTED_WRITES) {
    const answer = await owner[method](fileUrl(project.repository, path), params);
    assert.equal(answer.status, 400, `${method} ${path}: ${answer.text}`);
    assert.equal(answer.body.message, message);
  }
  assert.equal(await getTip(owner, project.repository), before);
});

const CHANGE = { branch: 'main', content: 'two', commit_message: 'm' };

test('accepts the tip of the branch as last_commit_id of an old file', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'a.txt', 'one');
  await createFile(owner, project.repository, 'b.txt', 'other');
  const last_commit_id = await getTip(owner, project.repository);
  const fresh = await owner.put(fileUrl(project.repository, 'a.txt'), { ...CHANGE, last_commit_id });
  assert.equal(fresh.status, 200);
});

test('rejects a stale last_commit_id, which is optional', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'a.txt', 'one');
  const last_commit_id = await getTip(owner, project.repository);
  const file = fileUrl(project.repository, 'a.txt');
  await expectSuccess(owner.put(file, CHANGE));
  const stale = await owner.put(file, { ...CHANGE, content: 'three', last_commit_id });
  assert.equal(stale.status, 400);
  assert.equal(
    stale.body.message,
    'You are attempting to update a file that has changed since you started editing it.',
  );
  const removal = { branch: 'main', commit_message: 'm' };
  const response = await owner.delete(file, { ...removal, last_commit_id });
  assert.equal(response.body.message, 'You are attempting to delete a file that has been previously updated.');
  assert.equal((await owner.delete(file, removal)).status, 204);
  assert.equal((await owner.get(file, { ref: 'main' })).status, 404);
});

test('creates a branch from start_branch without moving it', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const before = await getTip(owner, project.repository);
  await createFile(owner, project.repository, 'n.txt', 'x', { branch: 'feature', start_branch: 'main' });
  assert.equal(await getTip(owner, project.repository), before);
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

test('sets, keeps and clears the file mode', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'run.sh', 'one', { execute_filemode: true });
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

test('checks who may write to which branch', async () => {
  const { project, owner, developer, reporter, anonymous, user } = await world({
    project: { readme: true, with: ['reporter', 'developer'] },
  });
  const refused = { message: '403 Forbidden - You are not allowed to push into this branch' };
  assert.deepEqual((await anonymous.post(fileUrl(project.repository, 'n'), GOOD)).body, {
    message: '401 Unauthorized',
  });
  assert.equal((await (await user()).post(fileUrl(project.repository, 'n'), GOOD)).status, 404);
  assert.deepEqual((await reporter.post(fileUrl(project.repository, 'n'), GOOD)).body, refused);
  assert.deepEqual((await developer.post(fileUrl(project.repository, 'n'), GOOD)).body, refused);
  const onOwn = await developer.post(fileUrl(project.repository, 'n'), {
    ...GOOD,
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
  assert.deepEqual((await owner.post(fileUrl(project.repository, 'n'), GOOD)).body, refused);
});

test('keeps every commit of ten concurrent writers; all others get 400', async () => {
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

test('creates and protects the default branch with the first file', async () => {
  const { project, owner } = await world({ project: {} });
  const url = project.repository;
  assert.equal((await owner.get(fileUrl(url, 'x'), { ref: 'main' })).body.message, '404 Commit Not Found');
  await createFile(owner, url, 'x', 'first', { branch: 'trunk' });
  const result = await owner.get(project.at);
  assert.equal(result.body.default_branch, 'trunk');
  assert.equal(result.body.empty_repo, false);
  const rules = await owner.get(`${project.at}/protected_branches`);
  assert.equal(rules.body[0].name, 'trunk');
});

test('rejects paths outside the repository with the same message for every method', async () => {
  const { owner, at, tip } = await createProjectWithFile();
  const before = await tip();
  for (const path of ['..', '.', '../x', 'x/..', 'a/../b', 'a\\..\\b', '..\\x', '/etc/passwd', 'a\nb']) {
    const input = [
      owner.get(at(path), { ref: 'main' }),
      owner.get(at(path, '/blame'), { ref: 'main' }),
      owner.get(at(path, '/raw')),
      owner.post(at(path), GOOD),
      owner.put(at(path), GOOD),
      owner.delete(at(path), { branch: 'main', commit_message: 'm' }),
    ];
    for (const answer of await Promise.all(input)) {
      assert.deepEqual([answer.status, answer.body], [400, { error: 'file_path should be a valid file path' }], path);
    }
    assert.equal((await owner.head(at(path), { ref: 'main' })).status, 400);
  }
  assert.equal(await tip(), before);
});

test('rejects writes to a read-only repository after the permission check', async () => {
  const { root } = await world();
  const { owner, id, repository, at, tip, addMember: add } = await createProjectWithFile();
  const reporter = await add('reporter');
  const before = await tip();
  assert.equal((await root.put(`/projects/${id}`, { repository_read_only: true })).status, 200);
  const text = 'The repository is temporarily read-only. Please try again later.';
  const nowhere = { ...GOOD, branch: 'nowhere' };
  const create = { action: 'create', file_path: 'n', content: 'x' };
  const answers = await Promise.all([
    owner.post(at('n'), nowhere),
    owner.put(at('n'), nowhere),
    owner.delete(at('n'), { branch: 'nowhere', commit_message: 'm' }),
    owner.post(`${repository}/commits`, { branch: 'nowhere', commit_message: 'm', actions: [create] }),
  ]);
  for (const answer of answers) assert.deepEqual([answer.status, answer.body.message], [400, text]);
  assert.equal(
    (await owner.post(at('n'), { ...GOOD, content: undefined })).body.message,
    '400 Bad request - content is required',
  );
  assert.equal((await reporter.post(at('n'), GOOD)).status, 403);
  assert.equal((await owner.get(at('README.md'), { ref: 'main' })).status, 200);
  assert.equal(await tip(), before);
});

test('reports missing parameters of DELETE with its own messages', async () => {
  const { owner, at, tip } = await createProjectWithFile();
  const before = await tip();
  const cases: [Record<string, unknown>, number, unknown][] = [
    [{}, 400, { error: 'branch is missing, branch is empty, commit_message is missing, commit_message is empty' }],
    [{ branch: '', commit_message: 'm' }, 400, { error: 'branch is empty' }],
    [
      { branch: 'nowhere', commit_message: 'm' },
      400,
      { message: 'You can only create or edit files when you are on a branch' },
    ],
  ];
  for (const [params, status, body] of cases) {
    const answer = await owner.delete(at('README.md'), params);
    assert.deepEqual([answer.status, answer.body], [status, body]);
  }
  const absent = await owner.delete(at('absent'), { branch: 'main', commit_message: 'm' });
  assert.equal(absent.body.message, "A file with this name doesn't exist");
  assert.equal(await tip(), before);
});

test('returns 403 to callers who may not delete a file, also in archived projects', async () => {
  const { root } = await world();
  const { owner, id, at, tip, addMember: add } = await createProjectWithFile();
  const before = await tip();
  const reporter = await add('reporter');
  const forbidden = await reporter.delete(at('README.md'), { branch: 'main', commit_message: 'm' });
  assert.deepEqual([forbidden.status, forbidden.body], [403, { message: '403 Forbidden' }]);
  await root.post(`/projects/${id}/archive`);
  const archived = await owner.delete(at('README.md'), { branch: 'main', commit_message: 'm' });
  assert.deepEqual([archived.status, archived.body], [403, { message: '403 Forbidden' }]);
  await root.post(`/projects/${id}/unarchive`);
  assert.equal(await tip(), before);
  const body = {
    raw: JSON.stringify({ branch: 'main', commit_message: 'm' }),
    headers: { 'Content-Type': 'application/json' },
  };
  assert.equal((await owner.send('DELETE', at('README.md'), body)).status, 204);
});

test('uses the caller as committer and the named author, and keeps the message', async () => {
  const { owner, repository, at } = await createProjectWithFile();
  const message = '  Title \n\nBody\n\n';
  await owner.post(at('n'), {
    ...GOOD,
    commit_message: message,
    author_name: 'Ada <x>',
    author_email: 'ada@example.com',
  });
  const { body } = await owner.get(`${repository}/commits/main`);
  assert.equal(body.message, message);
  assert.deepEqual([body.author_name, body.author_email], ['Ada x', 'ada@example.com']);
  assert.deepEqual(
    [body.committer_name, body.committer_email],
    [`Name of ${owner.username}`, `${owner.username}@hearth.test`],
  );
});

test('checks the start before the new branch', async () => {
  const { owner, at, tip } = await createProjectWithFile();
  const before = await tip();
  const text = 'You can only create or edit files when you are on a branch';
  for (const start_branch of ['nowhere', 'refs/heads/main', await tip()]) {
    for (const branch of ['main', 'new', 'bad..name']) {
      assert.equal((await owner.post(at('n'), { ...GOOD, branch, start_branch })).body.message, text);
    }
  }
  const invalid = await owner.post(at('n'), { ...GOOD, branch: 'refs/heads/x', start_branch: 'main' });
  assert.equal(
    invalid.body.message,
    "Something went wrong when we tried to create 'refs/heads/x' for you: Branch name is invalid",
  );
  assert.equal(await tip(), before);
});

test('lets one of two concurrent first commits of an empty repository win', async () => {
  const { project, owner } = await world({ project: {} });
  const post = (branch: string) => owner.post(`${project.repository}/files/n`, { ...GOOD, branch });
  const answers = await Promise.all([post('one'), post('two')]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
  const refused = answers.find(({ status }) => status === 400);
  assert.equal(refused?.body.message, 'You can only create or edit files when you are on a branch');
  assert.equal((await owner.get(`${project.repository}/branches`)).body.length, 1);
});

test('reads an empty repository as empty, and does not let a Developer start it', async () => {
  const { project, owner, developer } = await world({ project: { with: ['developer'] } });
  for (const tail of ['', '/blame', '/raw']) {
    const answer = await owner.get(`${project.repository}/files/n${tail}`, { ref: 'main' });
    assert.deepEqual([answer.status, answer.body.message], [404, '404 Commit Not Found']);
  }
  for (const branch of ['main', 'other']) {
    const answer = await developer.post(`${project.repository}/files/n`, { ...GOOD, branch });
    assert.deepEqual(
      [answer.status, answer.body.message],
      [403, '403 Forbidden - You are not allowed to push into this branch'],
    );
  }
});

test('redirects reads under a former project path and rejects writes', async () => {
  const { owner, id, path_with_namespace, at } = await createProjectWithFile();
  assert.equal((await owner.put(`/projects/${id}`, { path: `moved-${id}` })).status, 200);
  const old = `/projects/${encodeURIComponent(path_with_namespace)}/repository/files/README.md`;
  const read = await owner.get(`${old}?ref=main`);
  assert.equal(read.status, 301);
  assert.match(String(read.headers.location), new RegExp(`${at('README.md')}\\?ref=main$`));
  assert.equal((await owner.post(old, GOOD)).status, 405);
});
