import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const { server, project, owner, maintainer, runJobs } = await world({
  project: { readme: true, with: ['maintainer'] },
});
const { reader } = server.services.database;

const newIssue = async (params = {}) =>
  (await expectSuccess(owner.post(`${project.at}/issues`, { title: 'Broken', ...params }))).body;
const stateOf = async ({ iid }: { readonly iid: number }) =>
  (await expectSuccess(owner.get(`${project.at}/issues/${iid}`))).body.state;

test('a merge into the default branch closes the issues in the description, as the merger', async () => {
  const [named, mentioned, closed] = [await newIssue(), await newIssue({ confidential: true }), await newIssue()];
  await expectSuccess(owner.put(`${project.at}/issues/${closed.iid}`, { state_event: 'close' }));
  const description = `Fixes #${named.iid}, #${closed.iid} and see #${mentioned.iid}`;
  const mr = await newMergeRequest(project, { description });
  await expectSuccess(maintainer.put(`${mr.at}/merge`));
  const mark = await markRecordedEvents(reader);
  await runJobs();
  assert.deepEqual(await Promise.all([named, mentioned].map(stateOf)), ['closed', 'opened']);
  assert.deepEqual(await listRecordedSince(reader, mark), ['closed Issue', 'state closed']);
  const { body } = await owner.get(`${project.at}/issues/${named.iid}/resource_state_events`);
  const [{ user, source_merge_request_id, state }] = body;
  assert.deepEqual([user.id, source_merge_request_id, state], [maintainer.id, mr.id, 'closed']);
  assert.equal((await owner.get(`${project.at}/issues/${named.iid}`)).body.closed_by.id, maintainer.id);
});

test('a merge closes no issue on another branch or if the project disables it', async () => {
  const issue = await newIssue();
  const description = `Closes #${issue.iid}`;
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' }));
  const elsewhere = await newMergeRequest(project, { description, target_branch: 'other' });
  await expectSuccess(owner.put(`${elsewhere.at}/merge`));
  await expectSuccess(owner.put(project.at, { autoclose_referenced_issues: false }));
  const unwanted = await newMergeRequest(project, { description });
  await expectSuccess(owner.put(`${unwanted.at}/merge`));
  await runJobs();
  await expectSuccess(owner.put(project.at, { autoclose_referenced_issues: true }));
  assert.equal(await stateOf(issue), 'opened');
});
