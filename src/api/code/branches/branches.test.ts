import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '../../../../test/world.ts';

const { newProject } = await world();

const make = async (caller: Caller, url: string, branch: string, ref = 'main') => {
  const answer = await caller.post(`${url}/branches`, { branch, ref });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);
const commitOn = (caller: Caller, url: string, branch: string, path: string) =>
  caller.post(`${url}/files/${path}`, { branch, content: path, commit_message: path });

test('branches are listed by name, searched with operators, filtered by RE2', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  for (const branch of ['rel-1', 'Rel', 'feature/rel', 'release1', 'zz']) await make(owner, project.repository, branch);
  const search = async (params: object) => names(await owner.get(`${project.repository}/branches`, { ...params }));
  assert.deepEqual(await search({}), ['Rel', 'feature/rel', 'main', 'rel-1', 'release1', 'zz']);
  assert.deepEqual(await search({ search: 'rel' }), ['Rel', 'feature/rel', 'rel-1', 'release1']);
  assert.deepEqual(await search({ search: '^rel' }), ['Rel', 'rel-1', 'release1']);
  assert.deepEqual(await search({ search: 'rel$' }), ['Rel', 'feature/rel']);
  assert.deepEqual(await search({ search: '^rel*1$' }), ['rel-1', 'release1']);
  assert.deepEqual(await search({ regex: '^rel|zz' }), ['rel-1', 'release1', 'zz']);
  assert.deepEqual(await search({ regex: '^[^r]', search: 'e' }), ['Rel', 'feature/rel']);
  const hostile = await owner.get(`${project.repository}/branches`, { regex: '(a+)+$' });
  assert.equal(hostile.status, 200);
  for (const regex of ['(', '(?=a)', '(a)\\1']) {
    const answer = await owner.get(`${project.repository}/branches`, { regex });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Regex is invalid' }], regex);
  }
  const sorted = await owner.get(`${project.repository}/branches`, { sort: 'name_desc' });
  assert.deepEqual(sorted.body, { error: 'sort does not have a valid value' });
  const page = await owner.get(`${project.repository}/branches`, { per_page: 2, page: 2 });
  assert.deepEqual([names(page), page.headers['x-total'], page.headers['x-next-page']], [['main', 'rel-1'], '6', '3']);
});

test('merged: behind the default branch, and neither a copy of it nor ahead', async () => {
  const { project, owner, work } = await world({ project: { readme: true } });
  await make(owner, project.repository, 'behind');
  await commitOn(owner, project.repository, 'main', 'a.txt');
  await make(owner, project.repository, 'copy');
  await make(owner, project.repository, 'ahead');
  await commitOn(owner, project.repository, 'ahead', 'b.txt');
  const { body } = await owner.get(`${project.repository}/branches`);
  const merged = Object.fromEntries(
    body.map((branch: { name: string; merged: boolean }) => [branch.name, branch.merged]),
  );
  assert.deepEqual(merged, { ahead: false, behind: true, copy: false, main: false });
  const accepted = await owner.delete(`${project.repository}/merged_branches`);
  assert.deepEqual([accepted.status, accepted.body], [202, { message: '202 Accepted' }]);
  await work();
  assert.deepEqual(names(await owner.get(`${project.repository}/branches`)), ['ahead', 'copy', 'main']);
  const moved = await owner.put(project.at, { default_branch: 'ahead' });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await owner.get(`${project.repository}/branches/copy`)).body.merged, true);
  const unknown = await owner.put(project.at, { default_branch: 'nothing' });
  assert.deepEqual(unknown.body, { message: { base: ["Could not change HEAD: branch 'nothing' does not exist"] } });
});

test('names that are none, are taken, or look like something else', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await make(owner, project.repository, 'a/b');
  await make(owner, project.repository, '@');
  const invalid = [
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
  for (const branch of invalid) {
    const answer = await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Branch name is invalid' }], branch);
  }
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
  const missing = await owner.post(`${project.repository}/branches`, {});
  assert.deepEqual(missing.body, { error: 'branch is missing, branch is empty, ref is missing, ref is empty' });
  assert.equal((await owner.get(`${project.repository}/branches/a`)).status, 404);
  assert.deepEqual((await owner.get(`${project.repository}/branches/branch*`)).body, {
    message: 'The branch refname is invalid',
  });
  assert.equal((await owner.head(`${project.repository}/branches/a%2Fb`)).status, 204);
  assert.equal((await owner.head(`${project.repository}/branches/a`)).status, 404);
  const twice = await Promise.all(
    [1, 2].map(() => owner.post(`${project.repository}/branches`, { branch: 'race', ref: 'main' })),
  );
  assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 400]);
});

test('deleting: the default branch never, a protected one by Maintainers, nothing twice', async () => {
  const { project, owner, developer } = await world({ project: { readme: true, with: ['developer'] } });
  await make(owner, project.repository, 'safe');
  await owner.post(`${project.at}/protected_branches`, { name: 'safe' });
  assert.equal(
    (await owner.delete(`${project.repository}/branches/main`)).body.message,
    'The default branch of a project cannot be deleted.',
  );
  assert.match(
    (await developer.delete(`${project.repository}/branches/safe`)).body.message,
    /^You are not allowed to delete protected branches/,
  );
  const stale = await owner.delete(`${project.repository}/branches/safe`, {}, { 'If-Unmodified-Since': '2001-01-01' });
  assert.deepEqual([stale.status, stale.body], [412, { message: '412 Precondition Failed' }]);
  assert.equal((await owner.delete(`${project.repository}/branches/safe`)).status, 204);
  assert.equal((await owner.delete(`${project.repository}/branches/safe`)).status, 404);
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
  await make(owner, url, 'main');
  assert.equal((await owner.get(`${url}/branches/main`)).body.protected, true);
  await make(developer, url, 'n', 'HEAD');
});
