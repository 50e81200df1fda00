import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../merge-requests/fixtures.testing.ts';

const { project, owner, reporter, planner, runJobs } = await world({
  project: { readme: true, with: ['reporter', 'planner'] },
});

test('lists a version for each head and target branch, newest first', async () => {
  const main = await project.commit({ 'main.txt': 'm' });
  const mr = await newMergeRequest(project);
  const head = await project.commit({ 'a.txt': 'a\n' }, { branch: mr.source_branch, parent: mr.sha });
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' }));
  await expectSuccess(owner.put(mr.at, { target_branch: 'other' }));
  const before = await expectSuccess(reporter.get(`${mr.at}/versions`));
  await runJobs();
  const { body, headers } = await expectSuccess(reporter.get(`${mr.at}/versions`));
  assert.deepEqual(before.body, body, 'the response is the same before and after the jobs have run');
  assert.equal(headers['x-total'], '3');
  const seen = body.map((one: Record<string, unknown>) => [one.head_commit_sha, one.start_commit_sha, one.real_size]);
  assert.deepEqual(seen, [
    [head, main, '2'],
    [head, main, '2'],
    [mr.sha, main, '1'],
  ]);
  const [last, , first] = body;
  assert.deepEqual([last.state, last.base_commit_sha, last.merge_request_id], ['collected', main, mr.id]);
  assert.match(last.patch_id_sha, /^[0-9a-f]{40}$/);
  assert.notEqual(first.patch_id_sha, last.patch_id_sha);
});

test('returns a version with commits and diffs to callers who may read code', async () => {
  const mr = await newMergeRequest(project);
  const second = await project.commit({ 'b.txt': 'b\n' }, { branch: mr.source_branch, parent: mr.sha });
  const [last, first] = (await expectSuccess(owner.get(`${mr.at}/versions`))).body;
  const { body } = await expectSuccess(reporter.get(`${mr.at}/versions/${last.id}`, { unidiff: true }));
  const { commits, diffs, ...rest } = body;
  assert.deepEqual(rest, last);
  assert.deepEqual(
    commits.map(({ id }: { id: string }) => id),
    [second, mr.sha],
  );
  assert.equal(diffs[0].diff, '--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+b\n');
  assert.equal((await expectSuccess(reporter.get(`${mr.at}/versions/${first.id}`))).body.commits.length, 1);
  const other = await newMergeRequest(project, { source_branch: await newBranch(project) });
  const missing = await reporter.get(`${other.at}/versions/${last.id}`);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
  assert.equal((await planner.get(`${mr.at}/versions`)).status, 403);
});
