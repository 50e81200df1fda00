import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const { project, owner, developer, runJobs } = await world({ project: { readme: true, with: ['developer'] } });

const newIssue = async (params = {}) =>
  (await expectSuccess(owner.post(`${project.at}/issues`, { title: 'Broken', ...params }))).body;
const listStateEvents = async ({ iid }: { readonly iid: number }) =>
  (await expectSuccess(owner.get(`${project.at}/issues/${iid}/resource_state_events`))).body;

let files = 0;
const commit = async (message: string, params = {}) => {
  const actions = [{ action: 'create', file_path: `f${++files}`, content: 'x' }];
  const body = { branch: 'main', commit_message: message, actions, ...params };
  return (await expectSuccess(owner.post(`${project.repository}/commits`, body))).body;
};

test('a commit on the default branch closes the issues in its message once', async () => {
  const [named, other, mentioned] = [await newIssue(), await newIssue(), await newIssue()];
  const { id } = await commit(`Mend it\n\nCloses #${named.iid} and #${other.iid}; see #${mentioned.iid}, fixes #99999`);
  await runJobs();
  await commit(`Again\n\nFixes #${named.iid}`);
  await runJobs();
  const [event, ...more] = await listStateEvents(named);
  assert.deepEqual([event.state, event.source_commit, event.source_merge_request_id], ['closed', id, null]);
  assert.deepEqual([event.user.id, more.length], [owner.id, 0]);
  assert.deepEqual([(await listStateEvents(other)).length, (await listStateEvents(mentioned)).length], [1, 0]);
  const { body } = await owner.get(`${project.at}/events?action=closed&target_type=issue`);
  assert.deepEqual(body.map((row: { target_id: number }) => row.target_id).sort(), [named.id, other.id]);
});

test('a commit on another branch closes issues when it is merged, by the merge request', async () => {
  const issue = await newIssue();
  await commit(`Resolve: #${issue.iid}`, { branch: 'fix', start_branch: 'main' });
  await commit('More', { branch: 'fix' });
  const mr = await newMergeRequest(project, { source_branch: 'fix' });
  await runJobs();
  assert.equal((await listStateEvents(issue)).length, 0);
  await expectSuccess(owner.put(`${mr.at}/merge`));
  await runJobs();
  const events = await listStateEvents(issue);
  assert.deepEqual(
    events.map((row: { source_commit: unknown }) => row.source_commit),
    [null],
  );
  assert.equal(events[0].source_merge_request_id, mr.id);
});

test('a commit closes no issue if the project disables it or the pusher lacks the permission', async () => {
  const issue = await newIssue();
  await expectSuccess(owner.put(project.at, { autoclose_referenced_issues: false }));
  await commit(`Closes #${issue.iid}`);
  await runJobs();
  await expectSuccess(owner.put(project.at, { autoclose_referenced_issues: true, issues_access_level: 'disabled' }));
  await commit(`Closes #${issue.iid}`);
  await runJobs();
  await expectSuccess(owner.put(project.at, { issues_access_level: 'enabled' }));
  assert.equal((await listStateEvents(issue)).length, 0);
  assert.equal((await developer.get(`${project.at}/issues/${issue.iid}`)).body.state, 'opened');
});
