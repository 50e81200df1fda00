import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createComment, describeFeed, getFeed, newIssue } from './fixtures.testing.ts';

test('records events of issues and milestones', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  for (const state_event of ['close', 'reopen']) await expectSuccess(owner.put(issue.at, { state_event }));
  const { id, iid } = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
  for (const state_event of ['close', 'activate']) {
    await expectSuccess(owner.put(`${project.at}/milestones/${id}`, { state_event }));
  }
  const row = (event: Record<string, unknown>) =>
    ['action_name', 'target_type', 'target_id', 'target_iid', 'target_title'].map((key) => event[key]);
  assert.deepEqual((await getFeed(owner, `${project.at}/events`)).map(row), [
    ['opened', 'Milestone', id, iid, 'v1'],
    ['closed', 'Milestone', id, iid, 'v1'],
    ['opened', 'Milestone', id, iid, 'v1'],
    ['opened', 'Issue', issue.id, issue.iid, 'Retry loop spins'],
    ['closed', 'Issue', issue.id, issue.iid, 'Retry loop spins'],
    ['opened', 'Issue', issue.id, issue.iid, 'Retry loop spins'],
    ['created', 'Project', project.id, project.id, project.name],
  ]);
  const reopened = await describeFeed(owner, `${project.at}/events`, { action: 'reopened' });
  assert.deepEqual(reopened, ['opened Milestone', 'opened Issue']);
});

test('records no events for edits and changes without effect', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const note = await createComment(owner, issue);
  const before = await describeFeed(owner, `${project.at}/events`);
  await expectSuccess(
    owner.put(issue.at, { title: 'Fixed', description: 'Now', labels: 'bug', due_date: '2026-03-05' }),
  );
  await expectSuccess(owner.put(issue.at, { state_event: 'reopen' }));
  await expectSuccess(owner.put(`${issue.at}/notes/${note.id}`, { body: 'In other words' }));
  assert.deepEqual(await describeFeed(owner, `${project.at}/events`), before);
});

test('deletes the events of deleted issues and milestones, and records the deletion of a milestone', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  await createComment(owner, issue);
  const { id } = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
  await expectSuccess(owner.delete(issue.at));
  await expectSuccess(owner.delete(`${project.at}/milestones/${id}`));
  assert.deepEqual(await describeFeed(owner, `${project.at}/events`), ['destroyed Milestone', 'created Project']);
  const [destroyed] = await getFeed(owner, `${project.at}/events`);
  assert.deepEqual([destroyed?.target_id, destroyed?.target_iid, destroyed?.target_title], [null, null, null]);
});

test('removes the events of a deleted project', async () => {
  const { project, owner, root, runJobs } = await world({ project: {} });
  await newIssue(project);
  await expectSuccess(owner.delete(project.at));
  const full_path = (await expectSuccess(root.get(project.at))).body.path_with_namespace;
  await expectSuccess(owner.delete(project.at, { permanently_remove: true, full_path }));
  await runJobs();
  assert.deepEqual(await describeFeed(owner, '/events'), []);
});
