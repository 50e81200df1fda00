import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createProjectWithBranches } from './fixtures.testing.ts';

// The fields of a branch (contract/repository.md §2) for different callers.

const { user, anonymous, root, server } = await world();

/** The author, timestamp and message fields of its commit. */
const WRITTEN = {
  title: 'Add a',
  message: 'Add a\n\nWith care.\n\nSigned-off-by: Jane\n',
  author_name: 'Ada',
  author_email: 'ada@example.com',
  authored_date: '2023-11-14T22:13:20.000+00:00',
  committer_name: 'Jane Doe',
  committer_email: 'jane@example.com',
  committed_date: '2023-11-14T22:13:20.000+00:00',
  trailers: {},
  extended_trailers: {},
};

test('returns a branch with nine fields and its commit with fifteen', async () => {
  const { project, owner } = await world({ project: {} });
  const id = await project.commit(
    { 'a.txt': 'a' },
    { message: 'Add a\n\nWith care.\n\nSigned-off-by: Jane\n', author: { name: 'Ada', email: 'ada@example.com' } },
  );
  const { body } = await owner.get(`${project.repository}/branches/main`);
  const webUrl = `${server.address}/${project.path_with_namespace}`;
  assert.deepEqual(body, {
    name: 'main',
    commit: {
      id,
      short_id: id.slice(0, 8),
      created_at: '2023-11-14T22:13:20.000+00:00',
      parent_ids: [],
      ...WRITTEN,
      web_url: `${webUrl}/-/commit/${id}`,
    },
    merged: false,
    protected: true,
    developers_can_push: false,
    developers_can_merge: false,
    can_push: true,
    default: true,
    web_url: `${webUrl}/-/tree/main`,
  });
});

test('returns the same branch in a list and alone', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'a' });
  await project.commit({ 'b.txt': 'b' }, { branch: 'feature/x' });
  const { body } = await owner.get(`${project.repository}/branches/main`);
  const webUrl = `${server.address}/${project.path_with_namespace}`;
  const feature = await owner.get(`${project.repository}/branches/feature%2Fx`);
  assert.deepEqual((await owner.get(`${project.repository}/branches`)).body, [feature.body, body]);
  assert.equal(feature.body.web_url, `${webUrl}/-/tree/feature/x`);
});

test('escapes special characters in web_url', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const urlOf = async (branch: string) => {
    const created = await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
    return created.body.web_url.replace(/^.*\/-\/tree\//, '');
  };
  assert.equal(await urlOf('fix#1/50%'), 'fix%231/50%25');
  assert.equal(await urlOf('grün"<>|{}`'), 'gr%C3%BCn%22%3C%3E%7C%7B%7D%60');
  assert.equal(await urlOf("a/b;c=d&e@f+g,h!i$j'k(l)"), "a/b;c=d&e@f+g,h!i$j'k(l)");
});

test('returns a placeholder title for a commit with a blank message', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'a' }, { message: ' \n' });
  assert.equal((await owner.get(`${project.repository}/branches/main`)).body.commit.title, 'No commit message');
});

test('computes can_push for the caller, false for anonymous callers', async () => {
  const { project, owner } = await world({ project: { visibility: 'public' } });
  await project.commit({ 'a.txt': 'a' });
  await project.commit({ 'b.txt': 'b' }, { branch: 'open' });
  await owner.post(`${project.at}/protected_branches`, { name: 'main' });
  const [reporter, developer] = [await user(), await user()];
  await project.addMember('reporter', reporter);
  await project.addMember('developer', developer);
  for (const [caller, main, open] of [
    [anonymous, false, false],
    [await user(), false, false],
    [reporter, false, false],
    [developer, false, true],
    [owner, true, true],
    [root, true, true],
  ] as const) {
    const { body } = await caller.get(`${project.repository}/branches`);
    assert.deepEqual(
      body.map(({ can_push }: { can_push: boolean }) => can_push),
      [main, open],
      caller.username,
    );
  }
});

test('sets developers_can_push and developers_can_merge from matching role entries', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'a' });
  await project.commit({ 'b.txt': 'b' }, { branch: 'rel/1' });
  const fetchResult = async () => {
    const { body } = await owner.get(`${project.repository}/branches/rel%2F1`);
    return [body.protected, body.developers_can_push, body.developers_can_merge];
  };
  assert.deepEqual(await fetchResult(), [false, false, false]);
  await owner.post(`${project.at}/protected_branches`, { name: 'rel/*', merge_access_level: 30 });
  assert.deepEqual(await fetchResult(), [true, false, true]);
  await owner.post(`${project.at}/protected_branches`, { name: '*1', push_access_level: 30 });
  assert.deepEqual(await fetchResult(), [true, true, true]);
  await owner.delete(`${project.at}/protected_branches/*1`);
  assert.deepEqual(await fetchResult(), [true, false, true]);
});

test('lists branches immediately after a push or an API call', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'a' });
  const tips = async () =>
    Object.fromEntries(
      (await owner.get(`${project.repository}/branches`)).body.map((one: { name: string; commit: { id: string } }) => [
        one.name,
        one.commit.id,
      ]),
    );
  const before = await tips();
  await owner.post(`${project.repository}/branches`, { branch: 'new', ref: 'main' });
  assert.deepEqual(await tips(), { ...before, new: before.main });
  await owner.post(`${project.repository}/files/n`, { branch: 'new', content: 'x', commit_message: 'm' });
  const moved = await tips();
  assert.notEqual(moved.new, before.main);
  await owner.delete(`${project.repository}/branches/new`);
  assert.deepEqual(await tips(), before);
});

test('returns 400 for invalid names, and 404 for HEAD', async () => {
  const { owner, at } = await createProjectWithBranches();
  for (const branch of ['branch*', 'a b', 'a..b', '-x', 'HEAD', 'refs/heads/main', 'x.lock', 'a~1', 'main^', '/main']) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await owner.send(method, at(branch));
      assert.deepEqual([answer.status, answer.body], [400, { message: 'The branch refname is invalid' }], branch);
    }
    assert.equal((await owner.head(at(branch))).status, 404, branch);
  }
});

test('finds a branch only by its full name', async () => {
  const { owner, create, at, second } = await createProjectWithBranches();
  await create('a/b');
  for (const branch of ['a', 'b', 'A/B', 'heads/main', second, 'mai']) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await owner.send(method, at(branch));
      assert.deepEqual([answer.status, answer.body], [404, { message: '404 Branch Not Found' }], branch);
    }
  }
});
