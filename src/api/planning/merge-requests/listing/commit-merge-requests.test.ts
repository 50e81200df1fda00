import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const { newProject, user } = await world();

const iidsOf = async (caller: Caller, project: Project, ref: string, params = {}): Promise<number[]> =>
  (await expectSuccess(caller.get(`${project.repository}/commits/${ref}/merge_requests`, params))).body.map(
    ({ iid }: { iid: number }) => iid,
  );

test('a commit is listed with the merge requests that contain it, before and after the merge', async () => {
  const owner = await user();
  const project = await newProject({ owner, readme: true });
  const brought = await project.commit({ 'a.txt': 'a' }, { branch: 'first' });
  const first = await newMergeRequest(project, { source_branch: 'first' });
  await project.commit({ 'b.txt': 'b' }, { branch: 'second', parent: brought });
  const second = await newMergeRequest(project, { source_branch: 'second' });
  assert.deepEqual(await iidsOf(owner, project, brought), [second.iid, first.iid]);
  assert.deepEqual(await iidsOf(owner, project, 'second'), [second.iid]);
  assert.deepEqual(await iidsOf(owner, project, 'main'), []);
  const merged = (await expectSuccess(owner.put(`${first.at}/merge`))).body;
  await newMergeRequest(project);
  assert.deepEqual(await iidsOf(owner, project, merged.merge_commit_sha), [first.iid]);
  assert.deepEqual(await iidsOf(owner, project, brought), [second.iid, first.iid]);
  assert.deepEqual(await iidsOf(owner, project, brought, { state: 'merged' }), [first.iid]);
  assert.deepEqual(await iidsOf(owner, project, brought, { state: 'whatever' }), [second.iid, first.iid]);
  assert.deepEqual(await iidsOf(owner, project, brought, { per_page: 1, page: 2 }), [first.iid]);
});

test('earlier heads count, and callers without permission get 403', async () => {
  const { project, owner, guest, reporter } = await world({ project: { readme: true, with: ['guest', 'reporter'] } });
  const { id: parent } = (await owner.get(`${project.repository}/commits/main`)).body;
  const id = await project.commit({ 'a.txt': 'a' }, { branch: 'first' });
  const made = await newMergeRequest(project, { source_branch: 'first' });
  await project.commit({ 'c.txt': 'c' }, { branch: 'first', parent });
  assert.notEqual((await owner.get(made.at)).body.sha, id);
  assert.deepEqual(await iidsOf(reporter, project, id), [made.iid]);
  assert.equal((await guest.get(`${project.repository}/commits/${id}/merge_requests`)).status, 403);
  assert.equal((await owner.get(`${project.repository}/commits/none/merge_requests`)).status, 404);
});
