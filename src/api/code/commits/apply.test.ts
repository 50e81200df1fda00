import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { world } from '#test/support/world.ts';

const { newProject } = await world();

/** `main` has a file of three lines; `side` changes its last line. */
async function setUp() {
  const project = await newProject();
  const base = await project.commit({ 'a.txt': '1\n2\n3\n' });
  const author = { name: 'Ada', email: 'ada@example.com', at: { seconds: 1_600_000_000, offset: '+0230' } };
  const message = 'Change three\n\nWhy\n';
  const side = await project.commit({ 'a.txt': '1\n2\nthree\n' }, { branch: 'side', parent: base, author, message });
  const main = await project.commit({ 'b.txt': 'b\n' });
  const content = async () => (await project.owner.get(`${project.repository}/files/a.txt/raw`, { ref: 'main' })).text;
  return { ...project, base, side, main, content };
}

test('cherry-picks as the caller with a reference, a co-author and one push event', async () => {
  const { server } = await world();
  const { owner, repository, side, main, content } = await setUp();
  const mark = await markRecordedEvents(server.services.database.reader);
  const answer = await owner.post(`${repository}/commits/${side}/cherry_pick`, { branch: 'main' });
  assert.equal(answer.status, 201, answer.text);
  const { body } = answer;
  assert.deepEqual(body.parent_ids, [main]);
  const whose = 'Co-authored-by: Ada <ada@example.com>';
  assert.equal(body.message, `Change three\n\nWhy\n\n(cherry picked from commit ${side})\n\n${whose}`);
  const me = `Name of ${owner.username}`;
  assert.deepEqual([body.author_name, body.committer_name, body.authored_date], [me, me, body.committed_date]);
  assert.equal((await owner.get(`${repository}/branches/main`)).body.commit.id, body.id);
  assert.equal(await content(), '1\n2\nthree\n');
  assert.deepEqual(await listRecordedSince(server.services.database.reader, mark), ['pushed to branch']);
});

test('reverts a commit as the caller', async () => {
  const { owner, repository, commit, content } = await setUp();
  const wrong = await commit({ 'a.txt': 'wrong\n2\n3\n' }, { message: 'Break "it"\n' });
  const answer = await owner.post(`${repository}/commits/${wrong}/revert`, { branch: 'main' });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.message, `Revert "Break "it""\n\nThis reverts commit ${wrong}`);
  assert.equal(answer.body.author_name, `Name of ${owner.username}`);
  assert.equal(await content(), '1\n2\n3\n');
  const own = await owner.post(`${repository}/commits/${answer.body.id}/revert`, { branch: 'main', message: 'Again' });
  assert.equal(own.body.message, 'Again');
});

test('reports why a commit cannot be applied and leaves the branch unchanged', async () => {
  const { owner, repository, side, commit } = await setUp();
  const main = await commit({ 'a.txt': '1\n2\nIII\n' });
  const sorry = /^Sorry, we cannot cherry-pick this commit automatically\./;
  const conflict = await owner.post(`${repository}/commits/${side}/cherry_pick`, { branch: 'main' });
  assert.deepEqual([conflict.status, conflict.body.error_code], [400, 'conflict']);
  assert.match(conflict.body.message, sorry);
  const empty = await owner.post(`${repository}/commits/${side}/cherry_pick`, { branch: 'side' });
  assert.deepEqual([empty.status, empty.body.error_code], [400, 'empty']);
  assert.match(empty.body.message, sorry);
  const cases = [
    [`${repository}/commits/nowhere/revert`, { branch: 'main' }, 404, { message: '404 Commit Not Found' }],
    [`${repository}/commits/${side}/revert`, { branch: 'nowhere' }, 404, { message: '404 Branch Not Found' }],
    [`${repository}/commits/${side}/revert`, {}, 400, { error: 'branch is missing, branch is empty' }],
    [`${repository}/commits/${side}/revert`, { branch: ' ' }, 400, { error: 'branch is empty' }],
  ] as const;
  for (const [path, params, status, body] of cases) {
    const answer = await owner.post(path, params);
    assert.deepEqual([answer.status, answer.body], [status, body]);
  }
  assert.equal((await owner.get(`${repository}/branches/main`)).body.commit.id, main);
});

test('adds no co-author to own commits and accepts a custom message', async () => {
  const { owner, repository } = await setUp();
  const actions = [{ action: 'create', file_path: 'own.txt', content: 'own' }];
  const mine = { branch: 'mine', start_branch: 'main', commit_message: 'Mine', actions };
  const { id } = (await owner.post(`${repository}/commits`, mine)).body;
  const pick = (params: object) => owner.post(`${repository}/commits/${id}/cherry_pick`, params as never);
  assert.equal((await pick({ branch: 'side' })).body.message, `Mine\n\n(cherry picked from commit ${id})`);
  assert.equal((await pick({ branch: 'main', message: 'Told' })).body.message, 'Told');
});

test('reports why a dry run would fail', async () => {
  const { owner, repository, side, commit } = await setUp();
  await commit({ 'a.txt': '1\n2\nIII\n' });
  for (const [branch, error_code] of [
    ['main', 'conflict'],
    ['side', 'empty'],
  ]) {
    const answer = await owner.post(`${repository}/commits/${side}/cherry_pick`, { branch, dry_run: true });
    const { message, ...rest } = answer.body;
    assert.deepEqual([answer.status, rest], [400, { error_code, dry_run: 'error' }]);
    assert.match(message, /^Sorry, we cannot cherry-pick this commit automatically\./);
  }
});

test('changes nothing in a dry run', async () => {
  const { owner, repository, side, main } = await setUp();
  const answer = await owner.post(`${repository}/commits/${side}/cherry_pick`, { branch: 'main', dry_run: true });
  assert.deepEqual([answer.status, answer.body], [200, { dry_run: 'success' }]);
  assert.equal((await owner.get(`${repository}/branches/main`)).body.commit.id, main);
});

test('requires the right to push to the branch', async () => {
  const { anonymous, root } = await world();
  const { owner, repository, id, side, addMember: add } = await setUp();
  const developer = await add('developer');
  const notAllowed = { message: '403 Forbidden - You are not allowed to push into this branch' };
  const refused = await developer.post(`${repository}/commits/${side}/cherry_pick`, { branch: 'main' });
  assert.deepEqual([refused.status, refused.body], [403, notAllowed]);
  assert.equal((await developer.post(`${repository}/commits/${side}/revert`, { branch: 'side' })).status, 201);
  assert.equal((await anonymous.post(`${repository}/commits/${side}/revert`, { branch: 'main' })).status, 401);
  await root.put(`/projects/${id}`, { repository_read_only: true });
  const readOnly = await owner.post(`${repository}/commits/${side}/cherry_pick`, { branch: 'main' });
  assert.deepEqual(
    [readOnly.status, readOnly.body.message],
    [400, 'The repository is temporarily read-only. Please try again later.'],
  );
});
