import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from './fixtures.testing.ts';

const { project, owner, reporter, developer, guest, planner, anonymous } = await world({
  project: { readme: true, with: ['guest', 'planner', 'reporter', 'developer'] },
});

test('callers who may update it subscribe and unsubscribe', async () => {
  const mr = await newMergeRequest(project, { assignee_ids: [reporter.id] });
  const first = await developer.post(`${mr.at}/subscribe`);
  assert.deepEqual([first.status, first.body.subscribed], [201, true]);
  assert.equal((await developer.post(`${mr.at}/subscribe`)).status, 304);
  const left = await reporter.post(`${mr.at}/unsubscribe`);
  assert.deepEqual([left.status, left.body.subscribed], [201, false], 'assignees are subscribed by default');
  assert.equal((await reporter.post(`${mr.at}/unsubscribe`)).status, 304);
  assert.equal((await planner.post(`${mr.at}/subscribe`)).status, 403);
});

test('tracks time like issues', async () => {
  const mr = await newMergeRequest(project);
  await expectSuccess(developer.post(`${mr.at}/time_estimate`, { duration: '1d 3h30m' }));
  const spent = await developer.post(`${mr.at}/add_spent_time`, { duration: '1h' });
  assert.deepEqual([spent.status, spent.body.human_total_time_spent], [201, '1h']);
  const stats = (await expectSuccess(planner.get(`${mr.at}/time_stats`))).body;
  assert.deepEqual([stats.time_estimate, stats.total_time_spent], [41_400, 3_600]);
  assert.deepEqual((await expectSuccess(owner.get(mr.at))).body.time_stats, stats);
  await expectSuccess(developer.post(`${mr.at}/reset_spent_time`));
  const none = await expectSuccess(developer.post(`${mr.at}/reset_time_estimate`));
  assert.deepEqual([none.body.time_estimate, none.body.total_time_spent], [0, 0]);
  const notes = (await expectSuccess(owner.get(`${mr.at}/notes`))).body.map(({ body }: { body: string }) => body);
  assert.deepEqual(notes, [
    'removed time estimate',
    'removed time spent',
    'added 1h of time spent at 2026-01-02',
    'changed time estimate to 1d 3h 30m',
  ]);
  assert.equal((await planner.post(`${mr.at}/time_estimate`, { duration: '1h' })).status, 403);
});

test('lists the issues that the merge closes and the caller may read', async () => {
  const file = async (params: object) =>
    (await expectSuccess(owner.post(`${project.at}/issues`, { title: 'T', ...params }))).body.iid;
  const [open, secret, mentioned] = [await file({}), await file({ confidential: true }), await file({})];
  const description = `Closes #${secret}, #${open} and #999, see #${mentioned}`;
  const mr = await newMergeRequest(project, { description });
  const iids = async (by: typeof owner) =>
    (await expectSuccess(by.get(`${mr.at}/closes_issues`))).body.map(({ iid }: { iid: number }) => iid);
  assert.deepEqual(await iids(planner), [open, secret]);
  assert.deepEqual(await iids(await project.addMember('reporter')), [open, secret]);
  assert.equal((await guest.get(`${mr.at}/closes_issues`)).status, 403);
  await expectSuccess(owner.put(project.at, { visibility: 'public' }));
  assert.deepEqual(await iids(anonymous), [open]);
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'aside', ref: 'main' }));
  await expectSuccess(owner.put(mr.at, { target_branch: 'aside' }));
  assert.deepEqual(await iids(planner), [], 'only merges to the default branch close issues');
});
