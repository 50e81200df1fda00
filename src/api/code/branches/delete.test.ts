import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const createBranch = async (caller: Caller, url: string, branch: string, ref = 'main') => {
  const answer = await caller.post(`${url}/branches`, { branch, ref });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

test('never deletes the default branch, and protected branches only for Maintainers', async () => {
  const { project, owner, developer } = await world({ project: { readme: true, with: ['developer'] } });
  await createBranch(owner, project.repository, 'safe');
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

test('lets only one of several concurrent requests delete a branch', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ a: 'a' });
  await owner.post(`${project.repository}/branches`, { branch: 'b', ref: 'main' });
  const answers = await Promise.all([1, 2, 3].map(() => owner.delete(`${project.repository}/branches/b`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404]);
});
