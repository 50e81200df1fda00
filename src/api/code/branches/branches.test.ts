import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '../../../../test/world.ts';

async function projectOf(options: object = {}): Promise<{ owner: Caller; id: number; url: string }> {
  const { user, name } = await world();
  const owner = await user();
  const { body } = await owner.post('/projects', { name: name('branches'), initialize_with_readme: true, ...options });
  return { owner, id: body.id, url: `/projects/${body.id}/repository` };
}

const make = async (caller: Caller, url: string, branch: string, ref = 'main') => {
  const answer = await caller.post(`${url}/branches`, { branch, ref });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);
const commitOn = (caller: Caller, url: string, branch: string, path: string) =>
  caller.post(`${url}/files/${path}`, { branch, content: path, commit_message: path });

test('branches are listed by name, searched with operators, filtered by RE2', async () => {
  const { owner, url } = await projectOf();
  for (const branch of ['rel-1', 'Rel', 'feature/rel', 'release1', 'zz']) await make(owner, url, branch);
  const search = async (params: object) => names(await owner.get(`${url}/branches`, { ...params }));
  assert.deepEqual(await search({}), ['Rel', 'feature/rel', 'main', 'rel-1', 'release1', 'zz']);
  assert.deepEqual(await search({ search: 'rel' }), ['Rel', 'feature/rel', 'rel-1', 'release1']);
  assert.deepEqual(await search({ search: '^rel' }), ['Rel', 'rel-1', 'release1']);
  assert.deepEqual(await search({ search: 'rel$' }), ['Rel', 'feature/rel']);
  assert.deepEqual(await search({ search: '^rel*1$' }), ['rel-1', 'release1']);
  assert.deepEqual(await search({ regex: '^rel|zz' }), ['rel-1', 'release1', 'zz']);
  assert.deepEqual(await search({ regex: '^[^r]', search: 'e' }), ['Rel', 'feature/rel']);
  const hostile = await owner.get(`${url}/branches`, { regex: '(a+)+$' });
  assert.equal(hostile.status, 200);
  for (const regex of ['(', '(?=a)', '(a)\\1']) {
    const answer = await owner.get(`${url}/branches`, { regex });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Regex is invalid' }], regex);
  }
  const sorted = await owner.get(`${url}/branches`, { sort: 'name_desc' });
  assert.deepEqual(sorted.body, { error: 'sort does not have a valid value' });
  const page = await owner.get(`${url}/branches`, { per_page: 2, page: 2 });
  assert.deepEqual([names(page), page.headers['x-total'], page.headers['x-next-page']], [['main', 'rel-1'], '6', '3']);
});

test('merged: behind the default branch, and neither a copy of it nor ahead', async () => {
  const { owner, url, id } = await projectOf();
  await make(owner, url, 'behind');
  await commitOn(owner, url, 'main', 'a.txt');
  await make(owner, url, 'copy');
  await make(owner, url, 'ahead');
  await commitOn(owner, url, 'ahead', 'b.txt');
  const { body } = await owner.get(`${url}/branches`);
  const merged = Object.fromEntries(
    body.map((branch: { name: string; merged: boolean }) => [branch.name, branch.merged]),
  );
  assert.deepEqual(merged, { ahead: false, behind: true, copy: false, main: false });
  const { work } = await world();
  const accepted = await owner.delete(`${url}/merged_branches`);
  assert.deepEqual([accepted.status, accepted.body], [202, { message: '202 Accepted' }]);
  await work();
  assert.deepEqual(names(await owner.get(`${url}/branches`)), ['ahead', 'copy', 'main']);
  const moved = await owner.put(`/projects/${id}`, { default_branch: 'ahead' });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await owner.get(`${url}/branches/copy`)).body.merged, true);
  const unknown = await owner.put(`/projects/${id}`, { default_branch: 'nothing' });
  assert.deepEqual(unknown.body, { message: { base: ["Could not change HEAD: branch 'nothing' does not exist"] } });
});

test('names that are none, are taken, or look like something else', async () => {
  const { owner, url } = await projectOf();
  await make(owner, url, 'a/b');
  await make(owner, url, '@');
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
    const answer = await owner.post(`${url}/branches`, { branch, ref: 'main' });
    assert.deepEqual([answer.status, answer.body], [400, { message: 'Branch name is invalid' }], branch);
  }
  const refused = async (branch: string, ref: string) =>
    (await owner.post(`${url}/branches`, { branch, ref })).body.message;
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
  const missing = await owner.post(`${url}/branches`, {});
  assert.deepEqual(missing.body, { error: 'branch is missing, branch is empty, ref is missing, ref is empty' });
  assert.equal((await owner.get(`${url}/branches/a`)).status, 404);
  assert.deepEqual((await owner.get(`${url}/branches/branch*`)).body, { message: 'The branch refname is invalid' });
  assert.equal((await owner.head(`${url}/branches/a%2Fb`)).status, 204);
  assert.equal((await owner.head(`${url}/branches/a`)).status, 404);
  const twice = await Promise.all([1, 2].map(() => owner.post(`${url}/branches`, { branch: 'race', ref: 'main' })));
  assert.deepEqual(twice.map(({ status }) => status).sort(), [201, 400]);
});

test('deleting: the default branch never, a protected one by Maintainers, nothing twice', async () => {
  const { root, user } = await world();
  const { owner, id, url } = await projectOf();
  const developer = await user();
  await root.post(`/projects/${id}/members`, { user_id: developer.id, access_level: 30 });
  await make(owner, url, 'safe');
  await owner.post(`/projects/${id}/protected_branches`, { name: 'safe' });
  assert.equal(
    (await owner.delete(`${url}/branches/main`)).body.message,
    'The default branch of a project cannot be deleted.',
  );
  assert.match(
    (await developer.delete(`${url}/branches/safe`)).body.message,
    /^You are not allowed to delete protected branches/,
  );
  const stale = await owner.delete(`${url}/branches/safe`, {}, { 'If-Unmodified-Since': '2001-01-01' });
  assert.deepEqual([stale.status, stale.body], [412, { message: '412 Precondition Failed' }]);
  assert.equal((await owner.delete(`${url}/branches/safe`)).status, 204);
  assert.equal((await owner.delete(`${url}/branches/safe`)).status, 404);
});

test('an anonymous caller hears that a project is not there before he hears that he must sign in', async () => {
  const { anonymous } = await world();
  const hidden = await projectOf();
  const shown = await projectOf({ visibility: 'public' });
  const params = { branch: 'n', ref: 'main' };
  assert.equal((await anonymous.post(`${hidden.url}/branches`, params)).status, 404);
  assert.equal((await anonymous.post(`${shown.url}/branches`, params)).status, 401);
  assert.equal((await anonymous.get(`${shown.url}/branches`)).status, 200);
  await shown.owner.put(`/projects/${shown.id}`, { repository_access_level: 'disabled' });
  assert.deepEqual((await shown.owner.get(`${shown.url}/branches`)).body, { message: '404 Repository Not Found' });
});

test('the first branch of an empty repository comes with a first commit', async () => {
  const { user, name } = await world();
  const owner = await user();
  const { body } = await owner.post('/projects', { name: name('empty') });
  const url = `/projects/${body.id}/repository`;
  assert.deepEqual((await owner.get(`${url}/branches`)).body, []);
  await make(owner, url, 'feature');
  assert.deepEqual(names(await owner.get(`${url}/branches`)), ['feature', 'main']);
});

test('what is refused leaves an empty repository empty', async () => {
  const { user, name } = await world();
  const owner = await user();
  const developer = await user();
  const { body } = await owner.post('/projects', { name: name('empty') });
  await owner.post(`/projects/${body.id}/members`, { user_id: developer.id, access_level: 30 });
  await owner.post(`/projects/${body.id}/protected_branches`, {
    name: 'no/*',
    push_access_level: 0,
    merge_access_level: 0,
  });
  const url = `/projects/${body.id}/repository`;
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
