import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { createProjectWithBranches } from './fixtures.testing.ts';

// Valid branch names, starting points and required rights (contract/repository.md §0 "Ref resolution", §2).

const { newProject } = await world();

const createBranch = async (caller: Caller, url: string, branch: string, ref = 'main') => {
  const answer = await caller.post(`${url}/branches`, { branch, ref });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

const branchNames = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);

const { server, root } = await world();

/** The push events of writes through the API, oldest first. */
const listPushEvents = (projectId: number) =>
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

test('rejects names that are not valid in git', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createBranch(owner, project.repository, 'a/b');
  await createBranch(owner, project.repository, '@');
  for (const branch of INVALID) {
    const answer = await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Branch name is invalid' }], branch);
  }
});

test('rejects names that exist, conflict with a folder or look like an id', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createBranch(owner, project.repository, 'a/b');
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

test('requires both parameters', async () => {
  const { project, owner } = await world({ project: {} });
  const missing = await owner.post(`${project.repository}/branches`, {});
  assert.deepEqual(missing.body, { error: 'branch is missing, branch is empty, ref is missing, ref is empty' });
});

test('does not treat the folder of a branch as a branch', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createBranch(owner, project.repository, 'a/b');
  assert.equal((await owner.get(`${project.repository}/branches/a`)).status, 404);
  assert.deepEqual((await owner.get(`${project.repository}/branches/branch*`)).body, {
    message: 'The branch refname is invalid',
  });
  assert.equal((await owner.head(`${project.repository}/branches/a%2Fb`)).status, 204);
  assert.equal((await owner.head(`${project.repository}/branches/a`)).status, 404);
});

test('lets only one of two concurrent requests create a branch', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const twice = await Promise.all(
    [1, 2].map(() => owner.post(`${project.repository}/branches`, { branch: 'race', ref: 'main' })),
  );
  assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 400]);
});

test('returns 404 to anonymous callers for a hidden project, before 401', async () => {
  const { anonymous } = await world();
  const hidden = await newProject({ readme: true });
  const result = await newProject({ readme: true, visibility: 'public' });
  const params = { branch: 'n', ref: 'main' };
  assert.equal((await anonymous.post(`${hidden.repository}/branches`, params)).status, 404);
  assert.equal((await anonymous.post(`${result.repository}/branches`, params)).status, 401);
  assert.equal((await anonymous.get(`${result.repository}/branches`)).status, 200);
  await result.owner.put(result.at, { repository_access_level: 'disabled' });
  assert.deepEqual((await result.owner.get(`${result.repository}/branches`)).body, {
    message: '404 Repository Not Found',
  });
});

test('creates a first commit with the first branch of an empty repository', async () => {
  const { project, owner } = await world({ project: {} });
  const url = project.repository;
  assert.deepEqual((await owner.get(`${url}/branches`)).body, []);
  await createBranch(owner, url, 'feature');
  assert.deepEqual(branchNames(await owner.get(`${url}/branches`)), ['feature', 'main']);
});

test('leaves an empty repository empty after a rejected request', async () => {
  const { project, owner } = await world({ project: {} });
  const developer = await project.addMember('developer');
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

test('protects the first branch of an empty repository and lets Developers create further ones', async () => {
  const { project, owner, developer } = await world({ project: { with: ['developer'] } });
  const url = project.repository;
  await createBranch(owner, url, 'main');
  assert.equal((await owner.get(`${url}/branches/main`)).body.protected, true);
  await createBranch(developer, url, 'n', 'HEAD');
});

test('records one push event for each created, moved or deleted branch, and none for a rejected one', async () => {
  const { project, owner } = await world({ project: {} });
  const first = await project.commit({ a: 'a' });
  const before = (await listPushEvents(project.id)).length;
  await owner.post(`${project.repository}/branches`, { branch: 'work', ref: 'main' });
  const write = { branch: 'work', content: 'b', commit_message: `${'t'.repeat(80)}\n\nBody` };
  assert.equal((await owner.post(`${project.repository}/files/b`, write)).status, 201);
  assert.equal((await owner.post(`${project.repository}/files/b`, write)).status, 400);
  const tip = (await owner.get(`${project.repository}/branches/work`)).body.commit.id;
  assert.equal((await owner.delete(`${project.repository}/branches/work`)).status, 204);
  assert.equal((await owner.delete(`${project.repository}/branches/work`)).status, 404);
  const push = { author_id: owner.id, ref: 'work', commit_count: 0, commit_title: null };
  const title = `${'t'.repeat(67)}...`;
  assert.deepEqual((await listPushEvents(project.id)).slice(before), [
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

test('returns 403 to callers without write access before it looks up the branch', async () => {
  const { project, reporter } = await world({ project: { visibility: 'public', with: ['reporter'] } });
  await project.commit({ a: 'a' });
  for (const path of ['branches/main', 'branches/nothing', 'branches/b*', 'merged_branches']) {
    const answer = await reporter.delete(`${project.repository}/${path}`);
    assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }], path);
  }
  const answer = await reporter.post(`${project.repository}/branches`, { branch: 'b', ref: 'main' });
  assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
});

test('rejects writes to a read-only repository before it checks names, refs or rules', async () => {
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

test('round-trips unusual branch names', async () => {
  const { owner, create, at } = await createProjectWithBranches();
  const names = ['@', 'a.b-c_d', 'größe/𝄞', 'x.json', 'a,b;c=d&e', 'a%2Fb', '#1', "it's", '{x}', 'a$', 'lock', 'HEAD2'];
  for (const branch of names) {
    const created = await create(branch);
    assert.deepEqual([created.status, created.body.name], [201, branch]);
    assert.equal((await owner.get(at(branch))).body.name, branch);
    assert.equal((await owner.head(at(branch))).status, 204);
    assert.equal((await owner.delete(at(branch))).status, 204);
    assert.equal((await owner.head(at(branch))).status, 404);
  }
});

test('creates a branch at any revision that leads to a commit', async () => {
  const { owner, repository, create, at, first, second } = await createProjectWithBranches();
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
    const created = await create(`start-${index}`, ref);
    assert.deepEqual([created.status, created.body.commit?.id], [201, id], ref);
    assert.equal((await owner.get(at(`start-${index}`))).body.commit.id, id);
  }
});

test('rejects an unknown ref with the value that was sent', async () => {
  const { owner, repository, create, at, second } = await createProjectWithBranches();
  const { blob_id } = (await owner.get(`${repository}/files/a.txt`, { ref: 'main' })).body;
  for (const ref of ['nowhere', 'f'.repeat(40), blob_id, 'main:a.txt', '-main', 'main~9', 'ma in', 'Main']) {
    const refused = await create('n', ref);
    const message = `Failed to create branch 'n': invalid reference name '${ref}'`;
    assert.deepEqual([refused.status, refused.body], [400, { message }]);
    assert.equal((await owner.get(at('n'))).status, 404);
  }
  assert.equal((await owner.get(at('main'))).body.commit.id, second);
});

test('rejects names that begin with a full SHA', async () => {
  const { create } = await createProjectWithBranches();
  const message = 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
  for (const branch of ['a'.repeat(40), `${'0123456789'.repeat(4)}-x`, 'f'.repeat(64)]) {
    assert.deepEqual((await create(branch)).body, { message }, branch);
  }
  for (const branch of ['a'.repeat(39), `x${'a'.repeat(40)}`]) assert.equal((await create(branch)).status, 201, branch);
});

test('frees a name for the other side of a hierarchy conflict when the branch is deleted', async () => {
  const { owner, create, at } = await createProjectWithBranches();
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

test('reports blank parameters as empty, in the order of the parameters', async () => {
  const { owner, repository } = await createProjectWithBranches();
  const refused = async (params: object) => (await owner.post(`${repository}/branches`, { ...params })).body.error;
  assert.equal(await refused({ branch: ' ', ref: '' }), 'branch is empty, ref is empty');
  assert.equal(await refused({ branch: 'x' }), 'ref is missing, ref is empty');
  assert.equal(await refused({ branch: ['x'], ref: 'main' }), 'branch is invalid');
});

test('accepts names of up to 1,024 bytes for branches and tags', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const name = `${'z'.repeat(249)}/${'z'.repeat(249)}/${'z'.repeat(249)}/${'z'.repeat(249)}/${'z'.repeat(24)}`;
  assert.equal(name.length, 1024);
  const at = (kind: string) => `${project.repository}/${kind}/${encodeURIComponent(name)}`;
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: name, ref: 'main' }));
  await expectSuccess(owner.post(`${project.repository}/tags`, { tag_name: name, ref: name }));
  const write = { branch: name, content: 'a', commit_message: 'Add' };
  await expectSuccess(owner.post(`${project.repository}/files/a.txt`, write));
  assert.equal((await owner.get(at('branches'))).body.commit.title, 'Add');
  assert.equal((await owner.get(at('tags'))).body.name, name);
  for (const kind of ['branches', 'tags']) await expectSuccess(owner.delete(at(kind)));
});
