import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, done, world } from '#test/support/world.ts';
import { given } from './fixtures.testing.ts';

// What branches may be named, what they may start at, and who makes them (contract/repository.md §0 "Ref resolution", §2).

const { newProject } = await world();

const make = async (caller: Caller, url: string, branch: string, ref = 'main') => {
  const answer = await caller.post(`${url}/branches`, { branch, ref });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);

const { server, root } = await world();

/** The pushes that the API's writes have left, the oldest first. */
const pushes = (projectId: number) =>
  server.services.database.reader
    .selectFrom('activity_events')
    .select([
      'author_id',
      'action_name',
      'push_action',
      'ref',
      'commit_from',
      'commit_to',
      'commit_count',
      'commit_title',
    ])
    .where('project_id', '=', projectId)
    .where('action', '=', 'pushed')
    .orderBy('id')
    .execute();

const INVALID = [
  'HEAD',
  '-x',
  'refs/heads/x',
  'refs/remotes/x',
  'a b',
  'a~',
  'a^',
  'a:',
  'a?',
  'a*',
  'a[',
  'a\\',
  'a..b',
  'a@{',
  'a//b',
  '/a',
  'a/',
  '.a',
  'a.lock',
  'a.',
];

test('names that git would not take are refused', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await make(owner, project.repository, 'a/b');
  await make(owner, project.repository, '@');
  for (const branch of INVALID) {
    const answer = await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Branch name is invalid' }], branch);
  }
});

test('names that are taken, in the way of others, or look like an id are refused', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await make(owner, project.repository, 'a/b');
  const refused = async (branch: string, ref: string) =>
    (await owner.post(`${project.repository}/branches`, { branch, ref })).body.message;
  assert.equal(await refused('main', 'main'), 'Branch already exists');
  assert.equal(await refused('n', 'nothing'), "Failed to create branch 'n': invalid reference name 'nothing'");
  assert.equal(
    await refused('a', 'main'),
    "Failed to create branch 'a': Branch name conflicts with existing branch hierarchy.",
  );
  assert.equal(
    await refused('a/b/c', 'main'),
    "Failed to create branch 'a/b/c': Branch name conflicts with existing branch hierarchy.",
  );
  assert.equal(
    await refused('a'.repeat(40), 'main'),
    'You cannot create a branch with a SHA-1 or SHA-256 branch name.',
  );
});

test('both parameters are asked for', async () => {
  const { project, owner } = await world({ project: {} });
  const missing = await owner.post(`${project.repository}/branches`, {});
  assert.deepEqual(missing.body, { error: 'branch is missing, branch is empty, ref is missing, ref is empty' });
});

test('the folder of a branch is no branch', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await make(owner, project.repository, 'a/b');
  assert.equal((await owner.get(`${project.repository}/branches/a`)).status, 404);
  assert.deepEqual((await owner.get(`${project.repository}/branches/branch*`)).body, {
    message: 'The branch refname is invalid',
  });
  assert.equal((await owner.head(`${project.repository}/branches/a%2Fb`)).status, 204);
  assert.equal((await owner.head(`${project.repository}/branches/a`)).status, 404);
});

test('of two who make one branch at once one makes it', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const twice = await Promise.all(
    [1, 2].map(() => owner.post(`${project.repository}/branches`, { branch: 'race', ref: 'main' })),
  );
  assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 400]);
});

test('an anonymous caller hears that a project is not there before he hears that he must sign in', async () => {
  const { anonymous } = await world();
  const hidden = await newProject({ readme: true });
  const shown = await newProject({ readme: true, visibility: 'public' });
  const params = { branch: 'n', ref: 'main' };
  assert.equal((await anonymous.post(`${hidden.repository}/branches`, params)).status, 404);
  assert.equal((await anonymous.post(`${shown.repository}/branches`, params)).status, 401);
  assert.equal((await anonymous.get(`${shown.repository}/branches`)).status, 200);
  await shown.owner.put(shown.at, { repository_access_level: 'disabled' });
  assert.deepEqual((await shown.owner.get(`${shown.repository}/branches`)).body, {
    message: '404 Repository Not Found',
  });
});

test('the first branch of an empty repository comes with a first commit', async () => {
  const { project, owner } = await world({ project: {} });
  const url = project.repository;
  assert.deepEqual((await owner.get(`${url}/branches`)).body, []);
  await make(owner, url, 'feature');
  assert.deepEqual(names(await owner.get(`${url}/branches`)), ['feature', 'main']);
});

test('what is refused leaves an empty repository empty', async () => {
  const { project, owner } = await world({ project: {} });
  const developer = await project.add('developer');
  await owner.post(`${project.at}/protected_branches`, {
    name: 'no/*',
    push_access_level: 0,
    merge_access_level: 0,
  });
  const url = project.repository;
  const protectedName = 'You are not allowed to create protected branches on this project.';
  const cases: [Caller, string, string, string][] = [
    [owner, 'n', 'nothing', "Failed to create branch 'n': invalid reference name 'nothing'"],
    [
      owner,
      'main/n',
      'main',
      "Failed to create branch 'main/n': Branch name conflicts with existing branch hierarchy.",
    ],
    [owner, 'no/n', 'main', protectedName],
    [developer, 'n', 'main', protectedName],
    [developer, 'main', 'main', protectedName],
  ];
  for (const [caller, branch, ref, message] of cases) {
    const answer = await caller.post(`${url}/branches`, { branch, ref });
    assert.deepEqual([answer.status, answer.body], [400, { message }]);
    assert.deepEqual((await owner.get(`${url}/branches`)).body, []);
  }
});

test('the first branch of an empty repository is protected at once, and Developers make the next', async () => {
  const { project, owner, developer } = await world({ project: { with: ['developer'] } });
  const url = project.repository;
  await make(owner, url, 'main');
  assert.equal((await owner.get(`${url}/branches/main`)).body.protected, true);
  await make(developer, url, 'n', 'HEAD');
});

test('branches that are made, moved and removed leave one push each, and what is refused none', async () => {
  const { project, owner } = await world({ project: {} });
  const first = await project.commit({ a: 'a' });
  const before = (await pushes(project.id)).length;
  await owner.post(`${project.repository}/branches`, { branch: 'work', ref: 'main' });
  const write = { branch: 'work', content: 'b', commit_message: `${'t'.repeat(80)}\n\nBody` };
  assert.equal((await owner.post(`${project.repository}/files/b`, write)).status, 201);
  assert.equal((await owner.post(`${project.repository}/files/b`, write)).status, 400);
  const tip = (await owner.get(`${project.repository}/branches/work`)).body.commit.id;
  assert.equal((await owner.delete(`${project.repository}/branches/work`)).status, 204);
  assert.equal((await owner.delete(`${project.repository}/branches/work`)).status, 404);
  const push = { author_id: owner.id, ref: 'work', commit_count: 0, commit_title: null };
  const title = `${'t'.repeat(67)}...`;
  assert.deepEqual((await pushes(project.id)).slice(before), [
    { ...push, action_name: 'pushed new', push_action: 'created', commit_from: null, commit_to: first },
    {
      ...push,
      action_name: 'pushed to',
      push_action: 'pushed',
      commit_from: first,
      commit_to: tip,
      commit_count: 1,
      commit_title: title,
    },
    { ...push, action_name: 'deleted', push_action: 'removed', commit_from: tip, commit_to: null },
  ]);
});

test('who cannot write hears so before whether there is such a branch', async () => {
  const { project, reporter } = await world({ project: { visibility: 'public', with: ['reporter'] } });
  await project.commit({ a: 'a' });
  for (const path of ['branches/main', 'branches/nothing', 'branches/b*', 'merged_branches']) {
    const answer = await reporter.delete(`${project.repository}/${path}`);
    assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }], path);
  }
  const answer = await reporter.post(`${project.repository}/branches`, { branch: 'b', ref: 'main' });
  assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
});

test('a read-only repository says so before it looks at names, starts or rules', async () => {
  const { project, owner, reporter } = await world({ project: { with: ['reporter'] } });
  await project.commit({ a: 'a' });
  await root.put(project.at, { repository_read_only: true });
  const readOnly = { message: 'The repository is temporarily read-only. Please try again later.' };
  for (const [branch, ref] of [
    ['new', 'main'],
    ['bad..name', 'main'],
    ['main', 'main'],
    ['new', 'nothing'],
  ]) {
    const answer = await owner.post(`${project.repository}/branches`, { branch, ref });
    assert.deepEqual([answer.status, answer.body], [400, readOnly], `${branch} at ${ref}`);
  }
  const deleted = await owner.delete(`${project.repository}/branches/main`);
  assert.deepEqual([deleted.status, deleted.body], [400, readOnly]);
  assert.equal((await reporter.post(`${project.repository}/branches`, { branch: 'new', ref: 'main' })).status, 403);
});

test('odd names that git takes round-trip', async () => {
  const { owner, create, at } = await given();
  const names = ['@', 'a.b-c_d', 'größe/𝄞', 'x.json', 'a,b;c=d&e', 'a%2Fb', '#1', "it's", '{x}', 'a$', 'lock', 'HEAD2'];
  for (const branch of names) {
    const made = await create(branch);
    assert.deepEqual([made.status, made.body.name], [201, branch]);
    assert.equal((await owner.get(at(branch))).body.name, branch);
    assert.equal((await owner.head(at(branch))).status, 204);
    assert.equal((await owner.delete(at(branch))).status, 204);
    assert.equal((await owner.head(at(branch))).status, 404);
  }
});

test('a branch starts at whatever leads to a commit', async () => {
  const { owner, repository, create, at, first, second } = await given();
  await owner.post(`${repository}/tags`, { tag_name: 'light', ref: first });
  await owner.post(`${repository}/tags`, { tag_name: 'noted', ref: first, message: 'Noted' });
  const starts = [
    ['main', second],
    ['HEAD', second],
    ['refs/heads/main', second],
    ['light', first],
    ['noted', first],
    ['refs/tags/noted', first],
    [first, first],
    [first.slice(0, 10), first],
    ['main~1', first],
    ['main^', first],
  ] as const;
  for (const [index, [ref, id]] of starts.entries()) {
    const made = await create(`start-${index}`, ref);
    assert.deepEqual([made.status, made.body.commit?.id], [201, id], ref);
    assert.equal((await owner.get(at(`start-${index}`))).body.commit.id, id);
  }
});

test('a start that leads to no commit is told as it was sent, and no branch is made', async () => {
  const { owner, repository, create, at, second } = await given();
  const { blob_id } = (await owner.get(`${repository}/files/a.txt`, { ref: 'main' })).body;
  for (const ref of ['nowhere', 'f'.repeat(40), blob_id, 'main:a.txt', '-main', 'main~9', 'ma in', 'Main']) {
    const refused = await create('n', ref);
    const message = `Failed to create branch 'n': invalid reference name '${ref}'`;
    assert.deepEqual([refused.status, refused.body], [400, { message }]);
    assert.equal((await owner.get(at('n'))).status, 404);
  }
  assert.equal((await owner.get(at('main'))).body.commit.id, second);
});

test('forty digits of a hash at its beginning make a name that is none', async () => {
  const { create } = await given();
  const message = 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
  for (const branch of ['a'.repeat(40), `${'0123456789'.repeat(4)}-x`, 'f'.repeat(64)]) {
    assert.deepEqual((await create(branch)).body, { message }, branch);
  }
  for (const branch of ['a'.repeat(39), `x${'a'.repeat(40)}`]) assert.equal((await create(branch)).status, 201, branch);
});

test('a name is free again for the other side of the hierarchy once its branch is gone', async () => {
  const { owner, create, at } = await given();
  await create('a');
  const conflict = await create('a/b');
  const message = "Failed to create branch 'a/b': Branch name conflicts with existing branch hierarchy.";
  assert.deepEqual([conflict.status, conflict.body], [400, { message }]);
  await owner.delete(at('a'));
  assert.equal((await create('a/b')).status, 201);
  assert.equal((await create('a')).status, 400);
  await owner.delete(at('a/b'));
  assert.equal((await create('a')).status, 201);
});

test('what is blank is empty, and parameters are looked at in their order', async () => {
  const { owner, repository } = await given();
  const refused = async (params: object) => (await owner.post(`${repository}/branches`, { ...params })).body.error;
  assert.equal(await refused({ branch: ' ', ref: '' }), 'branch is empty, ref is empty');
  assert.equal(await refused({ branch: 'x' }), 'ref is missing, ref is empty');
  assert.equal(await refused({ branch: ['x'], ref: 'main' }), 'branch is invalid');
});

test('a name may have 1,024 bytes: it is made, written to, read and removed, and so is a tag', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const name = `${'z'.repeat(249)}/${'z'.repeat(249)}/${'z'.repeat(249)}/${'z'.repeat(249)}/${'z'.repeat(24)}`;
  assert.equal(name.length, 1024);
  const at = (kind: string) => `${project.repository}/${kind}/${encodeURIComponent(name)}`;
  await done(owner.post(`${project.repository}/branches`, { branch: name, ref: 'main' }));
  await done(owner.post(`${project.repository}/tags`, { tag_name: name, ref: name }));
  const write = { branch: name, content: 'a', commit_message: 'Add' };
  await done(owner.post(`${project.repository}/files/a.txt`, write));
  assert.equal((await owner.get(at('branches'))).body.commit.title, 'Add');
  assert.equal((await owner.get(at('tags'))).body.name, name);
  for (const kind of ['branches', 'tags']) await done(owner.delete(at(kind)));
});
