import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const { newProject } = await world();

async function given() {
  const project = await newProject({ readme: true });
  const { owner, repository } = project;
  const at = (path: string, tail = '') => `${repository}/files/${encodeURIComponent(path)}${tail}`;
  const tip = async (branch = 'main') => (await owner.get(`${repository}/branches/${branch}`)).body.commit.id;
  return { ...project, at, tip };
}

const good = { branch: 'main', commit_message: 'm', content: 'x' };

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

test('a path that leads out is refused by every method, with the same words', async () => {
  const { owner, at, tip } = await given();
  const before = await tip();
  for (const path of ['..', '.', '../x', 'x/..', 'a/../b', 'a\\..\\b', '..\\x', '/etc/passwd', 'a\nb']) {
    const sent = [
      owner.get(at(path), { ref: 'main' }),
      owner.get(at(path, '/blame'), { ref: 'main' }),
      owner.get(at(path, '/raw')),
      owner.post(at(path), good),
      owner.put(at(path), good),
      owner.delete(at(path), { branch: 'main', commit_message: 'm' }),
    ];
    for (const answer of await Promise.all(sent)) {
      assert.deepEqual([answer.status, answer.body], [400, { error: 'file_path should be a valid file path' }], path);
    }
    assert.equal((await owner.head(at(path), { ref: 'main' })).status, 400);
  }
  assert.equal(await tip(), before);
});

test('odd names are in the headers byte for byte, control characters as escapes', async () => {
  const { owner, commit, at } = await given();
  for (const path of ['grüße 𝄞.txt', 'tab\there', ' blank ', 'bell\u0007']) {
    await commit({ [path]: 'x' });
    const { headers, status } = await owner.head(at(path), { ref: 'main' });
    assert.equal(status, 200);
    const name = Buffer.from(String(headers['x-gitlab-file-name']), 'latin1').toString('utf8');
    assert.equal(name, path.trim().replace('\t', '%09').replace('\u0007', '%07'));
    assert.equal((await owner.get(at(path, '/raw'))).text, 'x');
  }
});

test('symbolic links are their targets, submodules are empty and stay what they are', async () => {
  const { owner, at, tip, id } = await given();
  const { rooms } = (await world()).server;
  const { repositoryWithOddEntries } = await import('./odd-entries.testing.ts');
  const submodule = await repositoryWithOddEntries(rooms, id, owner.id);
  const link = await owner.get(at('link'), { ref: 'main' });
  assert.equal(Buffer.from(link.body.content, 'base64').toString(), 'README.md');
  const module = await owner.get(at('module'), { ref: 'main' });
  assert.deepEqual([module.body.size, module.body.content, module.body.blob_id], [0, '', submodule]);
  const before = await tip();
  const put = await owner.put(at('module'), good);
  assert.deepEqual([put.status, put.body.message], [400, 'A directory with this name already exists']);
  assert.equal(await tip(), before);
  assert.equal((await owner.put(at('link'), { ...good, content: 'elsewhere' })).status, 200);
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
    [await reader.post(at('n'), good), 'api'],
    [await (await tokenOf(owner, ['read_api'])).post(at('n'), good), 'api'],
  ] as const) {
    assert.equal(answer.status, 403);
    assert.deepEqual([answer.body.error, answer.body.scope], ['insufficient_scope', scope]);
  }
});

test('who may read: members of a private project with Reporter, a Guest not, strangers see nothing', async () => {
  const { root, anonymous, user } = await world();
  const { owner, id, at } = await given();
  const guest = await user();
  const reporter = await user();
  await owner.post(`/projects/${id}/members`, { user_id: guest.id, access_level: 10 });
  await owner.post(`/projects/${id}/members`, { user_id: reporter.id, access_level: 20 });
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
  assert.equal((await owner.post(at('n'), good)).status, 403);
});

test('a read-only repository refuses after the permission and before everything else', async () => {
  const { root, user } = await world();
  const { owner, id, repository, at, tip } = await given();
  const reporter = await user();
  await owner.post(`/projects/${id}/members`, { user_id: reporter.id, access_level: 20 });
  const before = await tip();
  assert.equal((await root.put(`/projects/${id}`, { repository_read_only: true })).status, 200);
  const text = 'The repository is temporarily read-only. Please try again later.';
  const nowhere = { ...good, branch: 'nowhere' };
  const create = { action: 'create', file_path: 'n', content: 'x' };
  const answers = await Promise.all([
    owner.post(at('n'), nowhere),
    owner.put(at('n'), nowhere),
    owner.delete(at('n'), { branch: 'nowhere', commit_message: 'm' }),
    owner.post(`${repository}/commits`, { branch: 'nowhere', commit_message: 'm', actions: [create] }),
  ]);
  for (const answer of answers) assert.deepEqual([answer.status, answer.body.message], [400, text]);
  assert.equal(
    (await owner.post(at('n'), { ...good, content: undefined })).body.message,
    '400 Bad request - content is required',
  );
  assert.equal((await reporter.post(at('n'), good)).status, 403);
  assert.equal((await owner.get(at('README.md'), { ref: 'main' })).status, 200);
  assert.equal(await tip(), before);
});

test('deleting says in its own words what is missing', async () => {
  const { root, user } = await world();
  const { owner, id, at, tip } = await given();
  const before = await tip();
  const reporter = await user();
  await owner.post(`/projects/${id}/members`, { user_id: reporter.id, access_level: 20 });
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

test('the committer is the caller, the author whoever is named; the message stays as it is', async () => {
  const { owner, repository, at } = await given();
  const message = '  Title \n\nBody\n\n';
  await owner.post(at('n'), {
    ...good,
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

test('the start is looked at before the branch that is to begin there', async () => {
  const { owner, at, tip } = await given();
  const before = await tip();
  const text = 'You can only create or edit files when you are on a branch';
  for (const start_branch of ['nowhere', 'refs/heads/main', await tip()]) {
    for (const branch of ['main', 'new', 'bad..name']) {
      assert.equal((await owner.post(at('n'), { ...good, branch, start_branch })).body.message, text);
    }
  }
  const invalid = await owner.post(at('n'), { ...good, branch: 'refs/heads/x', start_branch: 'main' });
  assert.equal(
    invalid.body.message,
    "Something went wrong when we tried to create 'refs/heads/x' for you: Branch name is invalid",
  );
  assert.equal(await tip(), before);
});

test('of two first commits of an empty repository on two branches one is the first', async () => {
  const { project, owner } = await world({ project: {} });
  const post = (branch: string) => owner.post(`${project.repository}/files/n`, { ...good, branch });
  const answers = await Promise.all([post('one'), post('two')]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
  const refused = answers.find(({ status }) => status === 400);
  assert.equal(refused?.body.message, 'You can only create or edit files when you are on a branch');
  assert.equal((await owner.get(`${project.repository}/branches`)).body.length, 1);
});

test('an empty repository reads as empty everywhere, and a Developer does not begin it', async () => {
  const { project, owner, developer } = await world({ project: { with: ['developer'] } });
  for (const tail of ['', '/blame', '/raw']) {
    const answer = await owner.get(`${project.repository}/files/n${tail}`, { ref: 'main' });
    assert.deepEqual([answer.status, answer.body.message], [404, '404 Commit Not Found']);
  }
  for (const branch of ['main', 'other']) {
    const answer = await developer.post(`${project.repository}/files/n`, { ...good, branch });
    assert.deepEqual(
      [answer.status, answer.body.message],
      [403, '403 Forbidden - You are not allowed to push into this branch'],
    );
  }
});

test('an old path of the project leads reads to the new one and stops writes', async () => {
  const { owner, id, path_with_namespace, at } = await given();
  assert.equal((await owner.put(`/projects/${id}`, { path: `moved-${id}` })).status, 200);
  const old = `/projects/${encodeURIComponent(path_with_namespace)}/repository/files/README.md`;
  const read = await owner.get(`${old}?ref=main`);
  assert.equal(read.status, 301);
  assert.match(String(read.headers.location), new RegExp(`${at('README.md')}\\?ref=main$`));
  assert.equal((await owner.post(old, good)).status, 405);
});

test('a reversed range is refused with HEAD too', async () => {
  const { owner, at } = await given();
  const reversed = { ref: 'main', 'range[start]': 2, 'range[end]': 1 };
  assert.equal((await owner.head(at('README.md', '/blame'), reversed)).status, 400);
});
