import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../fixtures.testing.ts';

const { project, owner, guest, planner, developer, newProject, anonymous } = await world({
  project: { readme: true, with: ['guest', 'planner', 'developer'] },
});

const createIssue = async (params = {}) =>
  (await expectSuccess(owner.post(`${project.at}/issues`, { title: 'Broken', ...params }))).body;

test('lists the issues that title, description, comments and commits mention', async () => {
  const [titled, described, commented, internal, committed] = [
    await createIssue(),
    await createIssue({ confidential: true }),
    await createIssue(),
    await createIssue(),
    await createIssue(),
  ];
  const other = await newProject({ owner });
  const foreign = (await expectSuccess(owner.post(`${other.at}/issues`, { title: 'There' }))).body;
  const source_branch = await newBranch(project);
  await project.commit({ 'more.txt': 'x' }, { branch: source_branch, message: `See #${committed.iid}` });
  const mr = await newMergeRequest(project, {
    source_branch,
    title: `As #${titled.iid}`,
    description: `#${described.iid}, ${foreign.references.full}, #99999`,
  });
  await expectSuccess(owner.post(`${mr.at}/notes`, { body: `Like #${commented.iid}` }));
  await expectSuccess(owner.post(`${mr.at}/notes`, { body: `And #${internal.iid}`, internal: true }));
  const listIds = async (by: Caller): Promise<number[]> =>
    (await expectSuccess(by.get(`${mr.at}/related_issues`))).body.map(({ id }: { id: number }) => id);
  const all = [titled.id, described.id, commented.id, internal.id, committed.id];
  assert.deepEqual(await listIds(owner), [...all, foreign.id]);
  assert.deepEqual(await listIds(developer), all);
  assert.deepEqual(await listIds(planner), all.slice(0, 4), 'planners cannot read commits');
  const second = await owner.get(`${mr.at}/related_issues`, { per_page: 2, page: 2 });
  assert.deepEqual([second.body.length, second.headers['x-total']], [2, '6']);
  assert.equal((await guest.get(`${mr.at}/related_issues`)).status, 403);
  assert.equal((await anonymous.get(`${mr.at}/related_issues`)).status, 404);
});
