import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRefs, ZERO_ID } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { getRepository } from '#repositories/repository.ts';
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

for (const name of ['HEAD', '-x', 'a'.repeat(40)]) {
  test(`lists, reads and deletes an existing branch ${name}, which cannot be created`, async () => {
    const { project, owner, server } = await world({ project: { readme: true } });
    const row = await server.services.database.reader
      .selectFrom('repositories')
      .select(['storage', 'disk_path', 'default_branch'])
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
    const { git } = server.services;
    const [main] = await listRefs(git, getRepository(git, row), 'refs/heads/main');
    const ref = `refs/heads/${name}`;
    await updateRefs(git, getRepository(git, row), [{ ref, oldId: ZERO_ID, newId: main!.id }]);
    const names = async () =>
      (await owner.get(`${project.repository}/branches`)).body.map((branch: { name: string }) => branch.name);
    assert.ok((await names()).includes(name));
    const url = `${project.repository}/branches/${name}`;
    assert.equal((await owner.get(url)).body.name, name);
    assert.equal((await owner.delete(url)).status, 204);
    assert.deepEqual(await names(), ['main']);
  });
}
