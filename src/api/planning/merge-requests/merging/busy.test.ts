import assert from 'node:assert/strict';
import { test } from 'node:test';
import { occupyWalkLimiter } from '#git/fixtures.testing.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const { server, root, project, owner } = await world({ project: { readme: true } });
const { git } = server.services;

test('a merge request is readable with a full git queue, without the git fields', async (t) => {
  const mr = await newMergeRequest(project);
  const sha = await project.commit({ 'more.txt': 'x' }, { branch: mr.source_branch });
  const leave = occupyWalkLimiter(git, t);
  const { body } = await expectSuccess(owner.get(mr.at));
  assert.deepEqual(body.diff_refs, { base_sha: null, head_sha: sha, start_sha: null });
  assert.deepEqual([body.detailed_merge_status, body.changes_count], ['unchecked', null]);
  await leave();
  assert.equal((await expectSuccess(owner.get(mr.at))).body.detailed_merge_status, 'mergeable');
});

test('merging waits in the git queue', async (t) => {
  const mr = await newMergeRequest(project);
  await project.commit({ 'ours.txt': 'x' });
  assert.equal((await expectSuccess(owner.get(mr.at))).body.detailed_merge_status, 'mergeable');
  occupyWalkLimiter(git, t);
  for (const response of [owner.put(`${mr.at}/merge`), owner.get(`${mr.at}/merge_ref`)]) {
    assert.equal((await response).status, 503);
  }
});

test('the merge ref is not written while the repository is read-only', async () => {
  const mr = await newMergeRequest(project);
  await expectSuccess(root.put(project.at, { repository_read_only: true }));
  const tried = await owner.get(`${mr.at}/merge_ref`);
  assert.deepEqual([tried.status, tried.body], [400, { message: 'Merge request is not mergeable' }]);
  await expectSuccess(root.put(project.at, { repository_read_only: false }));
  assert.equal((await owner.get(`${mr.at}/merge_ref`)).status, 200);
});
