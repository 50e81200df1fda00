import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { createComment, describeFeed, getFeed } from './fixtures.testing.ts';

// Events of merge requests and of comments on them.

test('records events of a merge request with their actor', async () => {
  const { project, owner, developer } = await world({ project: { readme: true, with: ['developer'] } });
  const { id, iid, at } = await newMergeRequest(project, {}, developer);
  for (const state_event of ['close', 'reopen']) await expectSuccess(developer.put(at, { state_event }));
  await expectSuccess(owner.put(`${at}/merge`, { should_remove_source_branch: true }));
  const events = await getFeed(owner, `${project.at}/events`, { target_type: 'merge_request', sort: 'asc' });
  const row = (event: Record<string, unknown>) =>
    ['action_name', 'target_type', 'target_id', 'target_iid', 'target_title', 'author_id'].map((key) => event[key]);
  const words: [string, Caller][] = [
    ['opened', developer],
    ['closed', developer],
    ['opened', developer],
    ['accepted', owner],
  ];
  assert.deepEqual(
    events.map(row),
    words.map(([word, by]) => [word, 'MergeRequest', id, iid, 'Add words', by.id]),
  );
  assert.deepEqual(await describeFeed(owner, `${project.at}/events`, { action: 'merged' }), ['accepted MergeRequest']);
  const pushes = await describeFeed(owner, '/events', { action: 'pushed' });
  assert.deepEqual(pushes.slice(0, 2).toSorted(), ['deleted', 'pushed to']);
});

test('shows title and iid of the merge request of a comment', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const made = await newMergeRequest(project);
  await createComment(owner, made);
  const [event] = await getFeed(owner, `${project.at}/events`, { target_type: 'note' });
  const { noteable_type, noteable_id, noteable_iid } = event!.note as Record<string, unknown>;
  assert.deepEqual(
    [event?.action_name, event?.target_type, event?.target_title, noteable_type, noteable_id, noteable_iid],
    ['commented on', 'Note', 'Add words', 'MergeRequest', made.id, made.iid],
  );
});

test('hides merge requests and their comments from Guests of a private project', async () => {
  const { project, owner, guest, planner } = await world({ project: { readme: true, with: ['guest', 'planner'] } });
  const made = await newMergeRequest(project);
  await createComment(owner, made);
  await createComment(owner, made, { internal: true });
  const seen = async (caller: Caller) =>
    (await describeFeed(caller, `${project.at}/events`)).filter((event) => /Note|MergeRequest/.test(event)).length;
  assert.deepEqual([await seen(guest), await seen(planner)], [0, 3]);
  await expectSuccess(owner.put(project.at, { merge_requests_access_level: 'disabled' }));
  assert.deepEqual([await seen(planner), await seen(owner)], [0, 0]);
});

test('hides the events of a deleted merge request', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const made = await newMergeRequest(project);
  await createComment(owner, made);
  await expectSuccess(owner.delete(made.at));
  const left = (await describeFeed(owner, `${project.at}/events`)).filter((event) => /Note|MergeRequest/.test(event));
  assert.deepEqual(left, []);
});

test('records no events for comments on epics', async () => {
  const { group, owner } = await world({ group: {} });
  const { id } = (await expectSuccess(owner.post(`${group.at}/epics`, { title: 'Big' }))).body;
  await expectSuccess(owner.post(`${group.at}/epics/${id}/notes`, { body: 'Seen' }));
  assert.deepEqual(await describeFeed(owner, '/events'), []);
});
