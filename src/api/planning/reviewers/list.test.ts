import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';

const { project, owner, developer, reporter, clock } = await world({
  project: { readme: true, with: ['developer', 'reporter'] },
});

test('lists reviewers with state and timestamp', async () => {
  const mr = await newMergeRequest(project, { reviewer_ids: [reporter.id] });
  const since = clock.now().toISOString();
  clock.advance(60);
  const later = clock.now().toISOString();
  await expectSuccess(owner.put(mr.at, { reviewer_ids: [reporter.id, developer.id] }));
  const list = async () => {
    const { body, headers } = await expectSuccess(reporter.get(`${mr.at}/reviewers`));
    assert.equal(headers['x-total'], '2');
    return body.map(({ user, state, created_at }: Record<string, { id: number }>) => [user!.id, state, created_at]);
  };
  const first = [reporter.id, 'unreviewed', since];
  assert.deepEqual(await list(), [first, [developer.id, 'unreviewed', later]]);
  await expectSuccess(developer.post(`${mr.at}/approve`));
  assert.deepEqual(await list(), [first, [developer.id, 'approved', later]]);
  await expectSuccess(developer.post(`${mr.at}/unapprove`));
  assert.deepEqual(await list(), [first, [developer.id, 'unapproved', later]]);
});

test('the free tier allows several reviewers and one assignee', async () => {
  const free = await world({
    env: { HEARTH_TIER: 'free' },
    project: { readme: true, with: ['developer', 'reporter'] },
  });
  const both = [free.developer.id, free.reporter.id];
  const one = await newMergeRequest(free.project, { reviewer_ids: both, assignee_ids: both });
  const asked = async (iid: number) => {
    const { assignees, reviewers } = (await expectSuccess(free.owner.get(`${free.project.at}/merge_requests/${iid}`)))
      .body;
    return [assignees, reviewers].map((users) => users.map(({ id }: { id: number }) => id).sort());
  };
  assert.deepEqual(await asked(one.iid), [[both[0]], both]);
  const other = await newMergeRequest(free.project);
  const names = `@${free.developer.username} @${free.reporter.username}`;
  const body = `/assign_reviewer ${names}\n/assign ${names}`;
  await expectSuccess(free.owner.post(`${other.at}/notes`, { body }));
  assert.deepEqual(await asked(other.iid), [[both[0]], both]);
});
