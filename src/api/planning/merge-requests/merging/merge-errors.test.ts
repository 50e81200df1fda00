import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../fixtures.testing.ts';

const here = await world({
  project: { readme: true, with: ['maintainer', 'developer', 'reporter', 'planner', 'guest'] },
});
const { server, root, project, owner, developer, reporter, planner, guest, anonymous, newProject } = here;
const { reader } = server.services.database;

const headOf = async (branch: string, { owner, repository } = project) =>
  (await owner.get(`${repository}/branches/${encodeURIComponent(branch)}`)).body.commit?.id;
const E405 = [405, { message: '405 Method Not Allowed' }];

test('checks the conditions of a merge in order', async () => {
  const conflicting = await newBranch(project);
  await project.commit({ 'README.md': 'theirs' }, { branch: conflicting });
  const mr = await newMergeRequest(project, { source_branch: conflicting, title: 'Draft: Add' });
  await project.commit({ 'README.md': 'ours' });
  const before = await headOf('main');
  const merge = async (by: typeof owner, params = {}) => {
    const { status, body } = await by.put(`${mr.at}/merge`, params);
    return [status, body];
  };
  const wrong = { sha: '1'.repeat(40) };
  assert.equal((await owner.put(`${project.at}/merge_requests/0/merge`)).status, 404);
  assert.deepEqual(await merge(anonymous), [401, { message: '401 Unauthorized' }]);
  assert.deepEqual(await merge(guest), [404, { message: '404 Not found' }]);
  for (const by of [planner, reporter, developer]) assert.deepEqual((await merge(by))[0], 401, 'main is protected');
  await expectSuccess(root.put(project.at, { repository_read_only: true }));
  assert.equal((await merge(owner, wrong))[0], 400);
  await expectSuccess(root.put(project.at, { repository_read_only: false }));
  assert.deepEqual(await merge(owner, wrong), E405);
  await makeReady(mr.id);
  assert.deepEqual(await merge(owner, wrong), [422, { message: 'Branch cannot be merged' }]);
  assert.deepEqual([(await owner.get(mr.at)).body.state, await headOf('main')], ['opened', before]);
  const other = await newMergeRequest(project);
  const { status, body } = await owner.put(`${other.at}/merge`, wrong);
  assert.deepEqual([status, body], [409, { message: `SHA does not match HEAD of source branch: ${other.sha}` }]);
  assert.equal((await owner.put(`${other.at}/merge`, { sha: other.sha, auto_merge: true })).status, 405);
  assert.equal((await owner.put(`${other.at}/merge`, { sha: other.sha })).status, 200);
  assert.deepEqual((await owner.put(`${other.at}/merge`)).status, 405, 'the merge request is merged already');
});

/** Marks the merge request as ready. */
async function makeReady(id: number): Promise<void> {
  await server.services.database.transaction((tx) =>
    tx.updateTable('merge_requests').set({ draft: false, title: 'Add' }).where('id', '=', id).execute(),
  );
}

test('the rules of the target branch decide who may merge', async () => {
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'open', ref: 'main' }));
  const mr = await newMergeRequest(project, { target_branch: 'open' });
  assert.deepEqual(
    [(await developer.get(mr.at)).body.user, (await reporter.get(mr.at)).body.user],
    [{ can_merge: true }, { can_merge: false }],
  );
  assert.equal((await developer.put(`${mr.at}/merge`)).status, 200);
  const rule = { name: 'open', push_access_level: 0, merge_access_level: 30 };
  await expectSuccess(owner.post(`${project.at}/protected_branches`, rule));
  const other = await newMergeRequest(project, { target_branch: 'open' });
  assert.equal((await developer.put(`${other.at}/merge`)).status, 200);
  await expectSuccess(owner.delete(`${project.at}/protected_branches/open`));
  await expectSuccess(owner.post(`${project.at}/protected_branches`, { ...rule, merge_access_level: 0 }));
  const third = await newMergeRequest(project, { target_branch: 'open' });
  assert.equal((await owner.put(`${third.at}/merge`)).status, 401);
  assert.equal((await root.put(`${third.at}/merge`)).status, 401);
});

test('of two concurrent merges one succeeds and the other answers 405', async () => {
  const mr = await newMergeRequest(project);
  const before = await headOf('main');
  const answers = await Promise.all([1, 2, 3, 4].map(() => owner.put(`${mr.at}/merge`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 405, 405, 405]);
  const merged = answers.find(({ status }) => status === 200)!.body;
  assert.equal(await headOf('main'), merged.merge_commit_sha);
  const { body } = await owner.get(`${project.repository}/commits/${merged.merge_commit_sha}`);
  assert.deepEqual(body.parent_ids, [before, mr.sha]);
  const events = reader.selectFrom('resource_state_events').select('id').where('merge_request_id', '=', mr.id);
  assert.equal((await events.execute()).length, 1);
});

test('concurrent merges into one branch all succeed, one after the other', async () => {
  const mrs = await Promise.all([1, 2, 3, 4].map(() => newMergeRequest(project)));
  const answers = await Promise.all(mrs.map(({ at }) => owner.put(`${at}/merge`)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const tip = await headOf('main');
  const { body } = await owner.get(`${project.repository}/commits`, {
    ref_name: 'main',
    first_parent: true,
    per_page: 4,
  });
  assert.equal(body[0].id, tip);
  const made = answers.map(({ body: merged }) => merged.merge_commit_sha).sort();
  assert.deepEqual(body.map(({ id }: { id: string }) => id).sort(), made);
});

const MEANWHILE: Readonly<
  Record<string, readonly [lose: (given: Awaited<ReturnType<typeof place>>) => Promise<unknown>, status: number]>
> = {
  'is no member any more': [
    ({ project, developer }) => project.owner.delete(`${project.at}/members/${developer.id}`),
    404,
  ],
  'may not merge any more': [
    ({ project }) => project.owner.post(`${project.at}/protected_branches`, { name: 'open' }),
    401,
  ],
  'finds the project archived': [({ project }) => project.owner.post(`${project.at}/archive`), 403],
  'finds the repository read-only': [({ project }) => root.put(project.at, { repository_read_only: true }), 400],
  'finds it in need of a rebase': [
    ({ project, late }) => Promise.all([project.owner.put(project.at, { merge_method: 'ff' }), late()]),
    405,
  ],
};

async function place() {
  const place = await newProject({ readme: true, visibility: 'private', with: ['developer'] });
  await expectSuccess(place.owner.post(`${place.repository}/branches`, { branch: 'open', ref: 'main' }));
  const mr = await newMergeRequest(place, { target_branch: 'open' });
  // The first use of a token is a separate transaction.
  await expectSuccess(place.developer.get(mr.at));
  const late = () => place.commit({ 'late.txt': 'x' }, { branch: 'open' });
  return { project: place, developer: place.developer, mr, late };
}

test('does not merge if the caller loses the permission meanwhile', async () => {
  for (const [who, [lose, status]] of Object.entries(MEANWHILE)) {
    const given = await place();
    atNextTransaction(here, async (run) => {
      await lose(given);
      return run();
    });
    const answer = await given.developer.put(`${given.mr.at}/merge`);
    assert.equal(answer.status, status, `${who}: ${answer.text}`);
    assert.equal((await root.get(given.mr.at)).body.state, 'opened', who);
  }
});

test('a merge is retried if its target branch has moved', async () => {
  const { project: place_, developer: by, mr, late } = await place();
  let beyond = '';
  atNextTransaction(here, async (run) => {
    beyond = await late();
    return run();
  });
  const { body } = await expectSuccess(by.put(`${mr.at}/merge`));
  const { body: commit } = await place_.owner.get(`${place_.repository}/commits/${body.merge_commit_sha}`);
  assert.deepEqual(commit.parent_ids, [beyond, mr.sha]);
});

test('a merge takes a new head unless another sha was requested', async () => {
  for (const meant of [true, false]) {
    const given = await place();
    const { at, source_branch, sha } = given.mr;
    let head = '';
    atNextTransaction(here, async (run) => {
      head = await given.project.commit({ 'more.txt': 'x' }, { branch: source_branch });
      return run();
    });
    const { status, body } = await given.developer.put(`${at}/merge`, meant ? { sha } : {});
    if (meant) assert.deepEqual([status, body.message], [409, `SHA does not match HEAD of source branch: ${head}`]);
    else assert.deepEqual([status, body.sha], [200, head]);
  }
});
