import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newProject } = await world();

const ids = (commits: readonly { id: string }[]) => commits.map(({ id }) => id);
const files = (answer: { body: { diffs: { new_path: string }[] } }) =>
  answer.body.diffs.map(({ new_path }) => new_path);

/** `main` and `side` diverge at `base`; each has two commits of its own. */
async function setUp() {
  const project = await newProject({ visibility: 'public' });
  const { commit } = project;
  const base = await commit({ 'a.txt': 'a\n' });
  const side1 = await commit({ 'side.txt': '1\n' }, { branch: 'side', parent: base, at: 1_700_000_100 });
  const side2 = await commit({ 'side.txt': '2\n' }, { branch: 'side', at: 1_700_000_200 });
  const main1 = await commit({ 'main.txt': 'main 1\n' }, { at: 1_700_000_300 });
  const main2 = await commit({ 'main.txt': 'main 2\n' }, { at: 1_700_000_400 });
  const compare = (params: object) => project.owner.get(`${project.repository}/compare`, { ...params });
  return { ...project, base, side1, side2, main1, main2, compare };
}

test('compares from the merge base, oldest commit first', async () => {
  const { compare, base, side1, side2, path_with_namespace } = await setUp();
  const answer = await compare({ from: 'main', to: 'side' });
  assert.equal(answer.status, 200, answer.text);
  const { body } = answer;
  assert.deepEqual(ids(body.commits), [side1, side2]);
  assert.equal(body.commit.id, side2);
  assert.deepEqual(files(answer), ['side.txt']);
  assert.equal(body.diffs[0].diff, '@@ -0,0 +1 @@\n+2\n');
  assert.deepEqual([body.compare_timeout, body.compare_same_ref], [false, false]);
  assert.ok(body.web_url.endsWith(`/${path_with_namespace}/-/compare/${base}...${side2}`), body.web_url);
});

test('compares two commits directly with straight=true', async () => {
  const { compare, side1, side2, main2 } = await setUp();
  const answer = await compare({ from: 'main', to: 'side', straight: true, unidiff: true });
  assert.deepEqual(ids(answer.body.commits), [side1, side2]);
  assert.deepEqual(files(answer), ['main.txt', 'side.txt']);
  assert.equal(answer.body.diffs[1].diff, '--- /dev/null\n+++ b/side.txt\n@@ -0,0 +1 @@\n+2\n');
  assert.ok(answer.body.web_url.endsWith(`/-/compare/${main2}..${side2}`));
});

test('handles the same commit under two names, and an ancestor', async () => {
  const { compare, base, main2 } = await setUp();
  const same = await compare({ from: 'main', to: main2 });
  assert.deepEqual(
    [same.body.compare_same_ref, same.body.commit, same.body.commits, same.body.diffs],
    [true, null, [], []],
  );
  const back = await compare({ from: 'main', to: base });
  assert.deepEqual(
    [back.body.compare_same_ref, back.body.commit, back.body.commits, back.body.diffs],
    [false, null, [], []],
  );
  const backStraight = await compare({ from: 'main', to: base, straight: true });
  assert.deepEqual(files(backStraight), ['main.txt']);
  assert.equal(backStraight.body.diffs[0].deleted_file, true);
});

test('resolves names on every request', async () => {
  const { compare, commit } = await setUp();
  await compare({ from: 'main', to: 'side' });
  const newest = await commit({ 'more.txt': 'more\n' }, { branch: 'side', at: 1_700_000_500 });
  const answer = await compare({ from: 'main', to: 'side' });
  assert.equal(answer.body.commit.id, newest);
  assert.deepEqual(files(answer), ['more.txt', 'side.txt']);
});

test('treats everything as new without a common commit', async () => {
  const { compare, commit } = await setUp();
  const orphan = await commit({ 'other.txt': 'o\n' }, { branch: 'orphan', parent: null });
  const answer = await compare({ from: 'main', to: 'orphan' });
  assert.deepEqual([ids(answer.body.commits), files(answer)], [[orphan], ['other.txt']]);
});

test('rejects unknown refs and other projects', async () => {
  const { anonymous } = await world();
  const { compare, repository, id } = await setUp();
  const cases = [
    [{}, 400, { error: 'from is missing, to is missing' }],
    [{ from: 'main' }, 400, { error: 'to is missing' }],
    [{ from: 'main', to: 'nowhere' }, 404, { message: '404 Ref Not Found' }],
    [{ from: '', to: 'main' }, 404, { message: '404 Ref Not Found' }],
    [{ from: 'main', to: 'side', straight: 'odd' }, 400, { error: 'straight is invalid' }],
    [
      { from: 'main', to: 'side', from_project_id: 999_999 },
      400,
      { message: `Target project id:999999 is not a fork of project id:${id}` },
    ],
  ] as const;
  for (const [params, status, body] of cases) {
    const answer = await compare(params);
    assert.deepEqual([answer.status, answer.body], [status, body]);
  }
  const own = await anonymous.get(`${repository}/compare`, { from: 'main', to: 'side', from_project_id: id });
  assert.equal(own.status, 200);
  const empty = await newProject();
  const nothing = await empty.owner.get(`${empty.repository}/compare`, { from: 'main', to: 'main' });
  assert.deepEqual(nothing.body, { message: '404 Ref Not Found' });
});

test('leaves out files after 1,000 and says so', async () => {
  const { compare, commit } = await setUp();
  const many = Object.fromEntries(Array.from({ length: 1005 }, (_, place) => [`many/${place}`, `${place}\n`]));
  await commit(many, { branch: 'side', at: 1_700_000_500 });
  const { body } = await compare({ from: 'main', to: 'side' });
  assert.deepEqual([body.diffs.length, body.compare_timeout], [1000, true]);
});

test('leaves out the oldest commits after 10,000 and says so', async () => {
  const { compare, store, side2 } = await setUp();
  const createHistory = (count: number) => {
    const commits = Array.from({ length: count }, (_, place) => {
      const signer = `Jane Doe <jane@example.com> ${1_700_000_500 + place} +0000`;
      return `commit refs/heads/long\nauthor ${signer}\ncommitter ${signer}\ndata 1\nm\n${place === 0 ? `from ${side2}\n` : ''}\n`;
    });
    return commits.join('');
  };
  await store(async (_git, { directory }) =>
    execFileSync('git', ['--git-dir', directory, 'fast-import', '--quiet'], { input: createHistory(10_001) }),
  );
  const { body } = await compare({ from: 'side', to: 'long' });
  assert.deepEqual([body.commits.length, body.compare_timeout, body.diffs], [10_000, true, []]);
  const all = await compare({ from: body.commits[0].parent_ids[0], to: 'long' });
  assert.deepEqual([all.body.commits.length, all.body.compare_timeout], [10_000, false]);
});
