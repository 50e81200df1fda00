import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { anonymous, newProject } = await world();

interface TreeCommit {
  readonly path: string;
  readonly commit: { readonly id: string; readonly title: string };
}

test('lists the last commit of each entry, in the order of the tree', async () => {
  const { owner, repository, commit } = await newProject();
  await commit({ 'src/a.ts': '1', 'src/lib/b.ts': '1', LICENSE: 'x', 'README.md': 'x' }, { message: 'first' });
  const second = await commit({ 'src/lib/b.ts': '2' }, { message: 'second' });
  await commit({ 'README.md': 'y' }, { message: 'third' });
  const list = async (params = {}) =>
    (await expectSuccess(owner.get(`${repository}/tree_commits`, params))).body as TreeCommit[];
  const titles = async (params = {}) => (await list(params)).map(({ path, commit: { title } }) => [path, title]);
  assert.deepEqual(await titles(), [
    ['src', 'second'],
    ['LICENSE', 'first'],
    ['README.md', 'third'],
  ]);
  assert.deepEqual(await titles({ ref: second }), [
    ['src', 'second'],
    ['LICENSE', 'first'],
    ['README.md', 'first'],
  ]);
  assert.deepEqual(await titles({ path: '/src/' }), [
    ['src/lib', 'second'],
    ['src/a.ts', 'first'],
  ]);
  const [{ commit: found } = { commit: null }] = await list({ path: 'src/lib' });
  const whole = (await owner.get(`${repository}/commits/${second}`)).body;
  for (const [key, value] of Object.entries(found!)) assert.deepEqual(value, whole[key], key);
});

test('has the pages of the tree', async () => {
  const { owner, repository, commit } = await newProject();
  await commit(Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${10 + index}`, 'x'])));
  for (const page of [1, 2, 3]) {
    const [tree, commits] = await Promise.all(
      ['tree', 'tree_commits'].map((list) => owner.get(`${repository}/${list}`, { page, per_page: 10 })),
    );
    const paths = (body: readonly { readonly path: string }[]) => body.map(({ path }) => path);
    assert.deepEqual(paths(commits!.body), paths(tree!.body));
    for (const header of ['x-total', 'x-next-page', 'x-total-pages'])
      assert.equal(commits!.headers[header], tree!.headers[header], header);
  }
});

test('answers as the tree for what does not exist, and to callers who may not read code', async () => {
  const empty = await newProject();
  const { owner, repository, commit, guest } = await newProject({ with: ['guest'] });
  await commit({ 'a.txt': 'a' });
  const calls = [
    [empty.owner, empty.repository, {}],
    [owner, repository, { ref: 'missing' }],
    [owner, repository, { path: 'missing' }],
    [owner, repository, { path: 'a.txt' }],
    [owner, repository, { path: '../..' }],
    [guest, repository, {}],
    [anonymous, repository, {}],
  ] as const;
  for (const [caller, at, params] of calls) {
    const tree = await caller.get(`${at}/tree`, params);
    const commits = await caller.get(`${at}/tree_commits`, params);
    assert.deepEqual([commits.status, commits.body], [tree.status, tree.body], JSON.stringify(params));
  }
});

test('follows merges of branches', async () => {
  const { owner, repository, commit, at } = await newProject();
  await commit({ a: '1', b: '1' }, { message: 'first' });
  await expectSuccess(owner.post(`${repository}/branches`, { branch: 'side', ref: 'main' }));
  const side = await commit({ a: '2' }, { branch: 'side', message: 'side' });
  const main = await commit({ b: '2' }, { message: 'main' });
  const { body } = await expectSuccess(
    owner.post(`${at}/merge_requests`, { source_branch: 'side', target_branch: 'main', title: 'x' }),
  );
  await expectSuccess(owner.put(`${at}/merge_requests/${body.iid}/merge`));
  const commits = (await expectSuccess(owner.get(`${repository}/tree_commits`))).body as TreeCommit[];
  assert.deepEqual(
    commits.map(({ path, commit: { id } }) => [path, id]),
    [
      ['a', side],
      ['b', main],
    ],
  );
});
