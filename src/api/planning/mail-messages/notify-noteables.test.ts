import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { mailOutbox } from './fixtures.testing.ts';

// Notifications of merge requests and epics.

const env = { HEARTH_MAIL_DELIVERY: 'outbox', HEARTH_EXTERNAL_URL: 'https://hearth.example' };
const here = await world({ env });
const { newProject, newGroup } = here;
const { mails, recipientsOf } = mailOutbox(here);

const watch = (who: Caller, at: string) => expectSuccess(who.put(`${at}/notification_settings`, { level: 'watch' }));

test('notifies of all events of a merge request', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'reporter'] });
  const { developer: dev, reporter, owner } = project;
  await watch(reporter, project.at);
  const recipients = (doing: () => Promise<unknown>) =>
    recipientsOf({ target_type: 'MergeRequest', project_id: project.id }, doing);
  let mergeRequest = { at: '', id: 0, iid: 0, source_branch: '' };
  const onCreate = await recipients(async () => {
    mergeRequest = await newMergeRequest(project, { assignee_ids: [dev.id] });
  });
  assert.deepEqual(onCreate, [`${dev.id} new_merge_request assigned`, `${reporter.id} new_merge_request null`].sort());
  const both = (event: string) => [`${dev.id} ${event} assigned`, `${reporter.id} ${event} null`].sort();
  const comment = () => expectSuccess(owner.post(`${mergeRequest.at}/notes`, { body: 'Hm' }));
  assert.deepEqual(await recipients(comment), both('new_note'));
  const change = (params: Readonly<Record<string, unknown>>) => () => expectSuccess(owner.put(mergeRequest.at, params));
  assert.deepEqual(await recipients(change({ state_event: 'close' })), both('close_merge_request'));
  assert.deepEqual(await recipients(change({ state_event: 'reopen' })), both('reopen_merge_request'));
  const pushed = () => project.commit({ 'more.txt': 'x' }, { branch: mergeRequest.source_branch });
  assert.deepEqual(await recipients(pushed), [`${dev.id} push_to_merge_request assigned`], 'does not notify watchers');
  const merged = () => expectSuccess(owner.put(`${mergeRequest.at}/merge`));
  assert.deepEqual(await recipients(merged), both('merge_merge_request'));
  const [last] = await mails({ target_type: 'MergeRequest', target_id: mergeRequest.id });
  assert.equal(last?.subject, `Re: ${project.name} | Add words (!${mergeRequest.iid})`);
  assert.equal(last?.in_reply_to, `<merge_request_${mergeRequest.id}@hearth.example>`);
});

test('notifies new and former assignees and reviewers', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  const { developer: dev, maintainer, owner } = project;
  const { at } = await newMergeRequest(project, { reviewer_ids: [dev.id] });
  const change = (params: Readonly<Record<string, unknown>>) => () => expectSuccess(owner.put(at, params));
  const recipients = (doing: () => Promise<unknown>) => recipientsOf({ project_id: project.id }, doing);
  const onReview = [
    `${dev.id} change_reviewer_merge_request null`,
    `${maintainer.id} change_reviewer_merge_request review_requested`,
  ].sort();
  assert.deepEqual(await recipients(change({ reviewer_ids: [maintainer.id] })), onReview);
  const onAssign = [
    `${dev.id} reassign_merge_request assigned`,
    `${maintainer.id} reassign_merge_request review_requested`,
  ].sort();
  assert.deepEqual(await recipients(change({ assignee_ids: [dev.id] })), onAssign);
  assert.deepEqual(await recipients(change({ assignee_ids: [dev.id], labels: 'bug' })), []);
});

test('does not notify Guests of a private project of merge requests', async () => {
  const project = await newProject({ readme: true, with: ['guest'] });
  await watch(project.guest, project.at);
  const recipients = await recipientsOf({ project_id: project.id }, () => newMergeRequest(project));
  assert.deepEqual(recipients, []);
});

test('notifies of epics by the setting of their group', async () => {
  const group = await newGroup({ with: ['planner', 'guest'] });
  const { planner, guest, owner } = group;
  await watch(planner, group.at);
  await expectSuccess(guest.put(`${group.at}/notification_settings`, { level: 'custom', new_epic: true }));
  const recipients = (doing: () => Promise<unknown>) => recipientsOf({ target_type: 'Epic' }, doing);
  const onCreate = await recipients(() => expectSuccess(owner.post(`${group.at}/epics`, { title: 'Big' })));
  assert.deepEqual(onCreate, [`${planner.id} new_epic null`, `${guest.id} new_epic null`].sort());
  const at = `${group.at}/epics/1`;
  assert.deepEqual(await recipients(() => expectSuccess(owner.put(at, { state_event: 'close' }))), [
    `${planner.id} close_issue null`,
  ]);
  assert.deepEqual(await recipients(() => expectSuccess(owner.put(at, { state_event: 'reopen' }))), [
    `${planner.id} reopen_issue null`,
  ]);
  const secret = await recipients(() =>
    expectSuccess(owner.post(`${group.at}/epics`, { title: 'Secret', confidential: true })),
  );
  assert.deepEqual(secret, [`${planner.id} new_epic null`]);
  const [mail] = await mails({ target_type: 'Epic', recipient_id: planner.id });
  assert.equal(mail?.subject, `${group.name} | Secret (&2)`);
});

test('notifies participants of a comment on an epic', async () => {
  const group = await newGroup({ with: ['planner'] });
  const { planner, owner } = group;
  const epic = (await expectSuccess(planner.post(`${group.at}/epics`, { title: 'Big' }))).body;
  const recipients = await recipientsOf({ target_type: 'Epic' }, () =>
    expectSuccess(owner.post(`${group.at}/epics/${epic.id}/notes`, { body: 'Hm' })),
  );
  assert.deepEqual(recipients, [`${planner.id} new_note null`]);
});

test('notifies label subscribers of new noteables within their subscription', async () => {
  const group = await newGroup();
  const [project, other] = [await newProject({ in: group }), await newProject({ in: group })];
  const [near, wide] = [await group.addMember('guest'), await group.addMember('guest')];
  await expectSuccess(group.owner.post(`${group.at}/labels`, { name: 'bug', color: 'red' }));
  await expectSuccess(near.post(`${project.at}/labels/bug/subscribe`));
  await expectSuccess(wide.post(`${group.at}/labels/bug/subscribe`));
  const filing =
    ({ at }: { readonly at: string }, labels: string) =>
    () =>
      expectSuccess(group.owner.post(`${at}/issues`, { title: 'Spins', labels }));
  const recipients = (of: typeof project, labels: string) => recipientsOf({ project_id: of.id }, filing(of, labels));
  assert.deepEqual(
    await recipients(project, 'bug,other'),
    [near, wide].map(({ id }) => `${id} new_issue subscribed`).sort(),
  );
  assert.deepEqual(await recipients(other, 'bug'), [`${wide.id} new_issue subscribed`]);
  assert.deepEqual(await recipients(project, 'other'), []);
});
