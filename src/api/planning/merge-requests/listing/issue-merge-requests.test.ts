import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const { project, owner, guest, planner, developer, newProject, anonymous, runJobs } = await world({
  project: { readme: true, with: ['guest', 'planner', 'developer'] },
});
const issues = `${project.at}/issues`;

const createIssue = async (params = {}) =>
  (await expectSuccess(owner.post(issues, { title: 'Broken', ...params }))).body;
const listIids = async (by: Caller, { iid }: { iid: number }, list: string): Promise<number[]> => {
  const { status, body } = await by.get(`${issues}/${iid}/${list}`);
  assert.equal(status, 200);
  return body.map(({ id }: { id: number }) => id);
};
const count = async (by: Caller, { iid }: { iid: number }) =>
  (await by.get(`${issues}/${iid}`)).body.merge_requests_count;

test('lists and counts the merge requests that close an issue, in any state', async () => {
  const issue = await createIssue();
  const one = await newMergeRequest(project, { description: `Closes #${issue.iid}` });
  const two = await newMergeRequest(project, { description: `Fixes #${issue.iid}` });
  await expectSuccess(owner.put(two.at, { state_event: 'close' }));
  await newMergeRequest(project, { description: `See #${issue.iid}` });
  const aside = (await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'aside', ref: 'main' })))
    .body.name;
  await newMergeRequest(project, { description: `Closes #${issue.iid}`, target_branch: aside });
  assert.deepEqual(await listIids(planner, issue, 'closed_by'), [two.id, one.id]);
  assert.equal(await count(planner, issue), 2);
  const inList = (await owner.get(issues, { iids: [issue.iid] })).body[0];
  assert.equal(inList.merge_requests_count, 2);
  await expectSuccess(owner.put(one.at, { description: 'Not any more' }));
  assert.deepEqual(await listIids(planner, issue, 'closed_by'), [two.id]);
  await expectSuccess(owner.put(project.at, { autoclose_referenced_issues: false }));
  assert.deepEqual([await listIids(planner, issue, 'closed_by'), await count(planner, issue)], [[], 0]);
  await expectSuccess(owner.put(project.at, { autoclose_referenced_issues: true }));
});

test('an issue created after the description that closes it is listed too', async () => {
  const { iid } = await createIssue();
  const mr = await newMergeRequest(project, { description: `Closes #${iid + 1}` });
  const later = await createIssue();
  assert.equal(later.iid, iid + 1);
  assert.deepEqual([await listIids(planner, later, 'closed_by'), await count(planner, later)], [[mr.id], 1]);
  await expectSuccess(owner.put(`${mr.at}/merge`));
  await runJobs();
  assert.equal((await owner.get(`${issues}/${later.iid}`)).body.state, 'closed');
});

test('lists the merge requests of all projects that mention an issue', async () => {
  const issue = await createIssue();
  const here = await newMergeRequest(project, { title: `As #${issue.iid}` });
  const other = await newProject({ owner, readme: true });
  const there = await newMergeRequest(other, { description: `As ${project.path_with_namespace}#${issue.iid}` });
  const { body } = await owner.get(`${issues}/${issue.iid}/related_merge_requests`);
  assert.deepEqual(
    body.map((one: { id: number; references: { relative: string } }) => [one.id, one.references.relative]),
    [
      [there.id, there.references.full],
      [here.id, `!${here.iid}`],
    ],
  );
  assert.deepEqual(await listIids(developer, issue, 'related_merge_requests'), [here.id]);
});

test('hides merge requests that the caller may not read', async () => {
  const issue = await createIssue();
  await newMergeRequest(project, { description: `Closes #${issue.iid}` });
  for (const list of ['closed_by', 'related_merge_requests']) {
    assert.deepEqual(await listIids(guest, issue, list), [], list);
    assert.equal((await anonymous.get(`${issues}/${issue.iid}/${list}`)).status, 404);
    const missing = await owner.get(`${issues}/99999/${list}`);
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
  }
  assert.equal(await count(guest, issue), 0);
});

test('author, assignees, reviewers and commenters are participants', async () => {
  const made = await newMergeRequest(project, { assignee_ids: [developer.id], reviewer_ids: [planner.id] });
  const commenter = await project.addMember('reporter');
  await expectSuccess(commenter.post(`${made.at}/notes`, { body: 'Fine' }));
  const { body } = await planner.get(`${made.at}/participants`);
  const ids = [owner.id, developer.id, planner.id, commenter.id].sort((one, other) => one - other);
  assert.deepEqual(
    body.map(({ id }: { id: number }) => id),
    ids,
  );
  assert.equal((await guest.get(`${made.at}/participants`)).status, 403);
});

test('a label counts the open merge requests that the caller may read', async () => {
  await newMergeRequest(project, { labels: 'counted' });
  const closed = await newMergeRequest(project, { labels: 'counted' });
  await expectSuccess(owner.put(closed.at, { state_event: 'close' }));
  for (const [by, open] of [
    [planner, 1],
    [guest, 0],
  ] as const) {
    const { body } = await by.get(`${project.at}/labels`, { with_counts: true, search: 'counted' });
    assert.equal(body[0].open_merge_requests_count, open);
  }
});

test('former members can be unassigned', async () => {
  const formerMember = await project.addMember('developer');
  const made = await newMergeRequest(project, { assignee_ids: [formerMember.id, developer.id] });
  await expectSuccess(owner.delete(`${project.at}/members/${formerMember.id}`, { unassign_issuables: true }));
  const { body } = await owner.get(made.at);
  assert.deepEqual(
    body.assignees.map(({ id }: { id: number }) => id),
    [developer.id],
  );
});
