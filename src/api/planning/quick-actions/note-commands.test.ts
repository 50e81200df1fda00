import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { user, newGroup, newProject, runJobs, clock } = await world();
const group = await newGroup({ with: ['planner', 'guest'] });
const { owner, planner, guest } = group;
const project = await newProject({ in: group, readme: true });
const ada = (await expectSuccess(planner.get('/user'))).body as { id: number; username: string };
const [bug, words, milestone] = await Promise.all([
  expectSuccess(owner.post(`${project.at}/labels`, { name: 'bug', color: '#ff0000' })),
  expectSuccess(owner.post(`${project.at}/labels`, { name: 'two words', color: '#00ff00' })),
  expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v 1' })),
]).then((made) => made.map(({ body }) => body));
const epic = (await expectSuccess(owner.post(`${group.at}/epics`, { title: 'Faster' }))).body;
const tomorrow = new Date(clock.now().getTime() + 86_400_000).toISOString().slice(0, 10);

/** A comment, its summary and changes, and fields of the noteable afterwards. */
type Case = readonly [body: string, summary: string, changes: object, expected?: object];

async function each(at: string, cases: readonly Case[], by: Caller = owner): Promise<void> {
  for (const [body, summary, changes, expected = {}] of cases) {
    const answer = await by.post(`${at}/notes`, { body });
    assert.deepEqual([answer.status, answer.body], [202, { commands_changes: changes, summary: [summary] }], body);
    const now = (await expectSuccess(owner.get(at))).body;
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(now[name], value, `${body}: ${name}`);
  }
  assert.deepEqual((await owner.get(`${at}/notes`, { activity_filter: 'only_comments' })).body, []);
}

test('applies each quick action of an issue like PUT and returns its message', async () => {
  const issue = await newIssue(project);
  await each(issue.at, [
    ['/close', 'Closed this issue.', { state_event: 'close' }, { state: 'closed' }],
    ['/close', 'Could not apply close command.', {}],
    ['/reopen', 'Reopened this issue.', { state_event: 'reopen' }, { state: 'opened' }],
    ['/title New words', 'Changed the title to "New words".', { title: 'New words' }, { title: 'New words' }],
    ['/label ~bug ~nope', 'Added ~bug label.', { add_label_ids: [bug.id] }, { labels: ['bug'] }],
    ['/labels two words', 'Added ~"two words" label.', { add_label_ids: [words.id] }, { labels: ['bug', 'two words'] }],
    ['/unlabel ~bug', 'Removed ~bug label.', { remove_label_ids: [bug.id] }, { labels: ['two words'] }],
    ['/remove_label', 'Removed all labels.', { label_ids: [] }, { labels: [] }],
    [
      '/relabel ~bug ~"two words"',
      'Replaced all labels with ~bug ~"two words" labels.',
      { label_ids: [bug.id, words.id] },
      { labels: ['bug', 'two words'] },
    ],
    [`/assign @${ada.username}`, `Assigned @${ada.username}.`, { assignee_ids: [ada.id] }],
    ['/assign @nobody', "Could not apply assign command. Failed to find users for 'nobody'.", {}],
    ['/assign', 'Failed to assign a user because no user was found.', {}],
    [`/unassign @${ada.username}`, `Removed assignee @${ada.username}.`, { assignee_ids: [] }, { assignees: [] }],
    ['/milestone %"v 1"', 'Set the milestone to %"v 1".', { milestone_id: milestone.id }],
    ['/remove_milestone', 'Removed %"v 1" milestone.', { milestone_id: null }, { milestone: null }],
    ['/due 2026-02-03', 'Set the due date to Feb 3, 2026.', { due_date: '2026-02-03' }, { due_date: '2026-02-03' }],
    ['/due soon', 'Failed to set due date because the date format is invalid.', {}],
    ['/remove_due_date', 'Removed the due date.', { due_date: null }, { due_date: null }],
    ['/weight 3', 'Set weight to 3.', { weight: 3 }, { weight: 3 }],
    ['/clear_weight', 'Cleared weight.', { weight: null }, { weight: null }],
    [`/epic &${epic.iid}`, 'Added an issue to an epic.', { epic: epic.id }, { epic_iid: epic.iid }],
    ['/set_parent &999', "This parent item does not exist or you don't have sufficient permission.", {}],
    ['/remove_epic', 'Removed an issue from an epic.', { epic: null }, { epic_iid: null }],
    ['/confidential', 'Made this issue confidential.', { confidential: true }, { confidential: true }],
    ['/lock', 'Locked the discussion.', { discussion_locked: true }, { discussion_locked: true }],
    ['/unlock', 'Unlocked the discussion.', { discussion_locked: false }, { discussion_locked: false }],
    ['/draft', 'Could not apply draft command.', {}],
  ]);
  assert.equal((await owner.get(issue.at)).body.title, 'New words');
});

test('applies quick actions for time, to-do items, subscriptions and emoji', async () => {
  const issue = await newIssue(project);
  const spent = (duration: number, spent_at: string) => ({ spend_time: { duration, user_id: owner.id, spent_at } });
  const now = clock.now().toISOString();
  const yesterday = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
  await each(issue.at, [
    ['/estimate 1d', 'Set time estimate to 1d.', { time_estimate: 28_800 }],
    ['/remove_time_estimate', 'Removed time estimate.', { time_estimate: 0 }],
    ['/estimate_time 1h', 'Set time estimate to 1h.', { time_estimate: 3_600 }],
    ['/remove_estimate', 'Removed time estimate.', { time_estimate: 0 }],
    ['/estimate 2h\n/estimate 0', 'Set time estimate to 2h. Removed time estimate.', { time_estimate: 0 }],
    ['/spend 1h 30m 2026-01-02', 'Added 1h 30m spent time.', spent(5_400, '2026-01-02T00:00:00.000Z')],
    ['/spend 1h 30m the 3rd of december 2025', 'Added 1h 30m spent time.', spent(5_400, '2025-12-03T00:00:00.000Z')],
    ['/spend 2h yesterday', 'Added 2h spent time.', spent(7_200, `${yesterday}T00:00:00.000Z`)],
    ['/spent -30m', 'Subtracted 30m spent time.', spent(-1_800, now)],
    ['/spend_time 1h', 'Added 1h spent time.', spent(3_600, now)],
    ['/spend 2 hours and 30 minutes', 'Added 2h 30m spent time.', spent(9_000, now)],
    ['/spend one day 2026-01-02', 'Added 1d spent time.', spent(28_800, '2026-01-02T00:00:00.000Z')],
    [
      '/remove_time_spent',
      'Removed spent time.',
      { spend_time: { duration: null, user_id: owner.id, spent_at: null } },
    ],
    ['/todo', 'Added a to-do item.', { todo_event: 'add' }],
    ['/todo', 'Could not apply todo command.', {}],
    ['/done', 'Marked to-do item as done.', { todo_event: 'done' }],
    ['/unsubscribe', 'Unsubscribed from notifications.', { subscription_event: 'unsubscribe' }, { subscribed: false }],
    ['/subscribe', 'Subscribed to notifications.', { subscription_event: 'subscribe' }, { subscribed: true }],
    ['/react :+1:', 'Toggled :thumbsup: emoji reaction.', { emoji_award: 'thumbsup' }, { upvotes: 1 }],
    ['/award :thumbsup:', 'Toggled :thumbsup: emoji reaction.', { emoji_award: 'thumbsup' }, { upvotes: 0 }],
  ]);
  const before = (await owner.get(`${issue.at}/time_stats`)).body;
  for (const body of [
    '/spend abc',
    '/spend 1h 2999-01-01',
    '/spend 1h tomorrow',
    '/spend yesterday',
    '/label ~nope',
    '/weight many',
  ]) {
    const { status, body: answer } = await owner.post(issue.notes, { body });
    assert.deepEqual([status, answer], [400, { message: '400 Bad request - Failed to apply commands.' }], body);
  }
  assert.deepEqual((await owner.get(`${issue.at}/time_stats`)).body, before);
});

test('applies quick actions of merge requests and epics', async () => {
  const mr = await newMergeRequest(project, { title: 'Words' });
  await each(mr.at, [
    ['/draft', 'Marked this merge request as a draft.', { wip_event: 'draft' }, { title: 'Draft: Words' }],
    ['/draft', "No change to this merge request's draft status.", {}],
    ['/ready', 'Marked this merge request as ready.', { wip_event: 'ready' }, { title: 'Words' }],
    ['/reviewer me', `Assigned @${owner.username} as reviewer.`, { reviewer_ids: [owner.id] }],
    ['/remove_reviewer', `Removed reviewer @${owner.username}.`, { reviewer_ids: [] }],
    ['/assign_reviewer me', `Assigned @${owner.username} as reviewer.`, { reviewer_ids: [owner.id] }],
    ['/unassign_reviewer', `Removed reviewer @${owner.username}.`, { reviewer_ids: [] }],
    ['/close', 'Closed this merge request.', { state_event: 'close' }, { state: 'closed' }],
  ]);
  const sha = await project.commit({ 'later.txt': 'x' }, { branch: mr.source_branch });
  await each(mr.at, [['/reopen', 'Reopened this merge request.', { state_event: 'reopen' }, { state: 'opened', sha }]]);
  const notes = `${group.at}/epics/${epic.id}/notes`;
  const { status, body } = await owner.post(notes, { body: '/close\n/confidential\n/assign me' });
  assert.deepEqual(
    [status, body.summary],
    [202, ['Closed this epic. Made this epic confidential. Could not apply assign command.']],
  );
  await expectSuccess(owner.put(`${group.at}/epics/${epic.iid}`, { state_event: 'reopen', confidential: false }));
});

test('writes the remaining text and returns the changes', async () => {
  const { at, notes } = await newIssue(project);
  const response = await expectSuccess(owner.post(notes, { body: 'Done.\n/close\n/label ~bug\n/promote' }));
  const { body, commands_changes, id } = response.body;
  assert.deepEqual([response.status, body], [201, 'Done.\n/promote']);
  assert.deepEqual(commands_changes, { state_event: 'close', add_label_ids: [bug.id] });
  assert.deepEqual((await owner.get(`${notes}/${id}`)).body.commands_changes, {});
  assert.equal((await owner.get(at)).body.state, 'closed');
  const reworded = await expectSuccess(owner.put(`${notes}/${id}`, { body: 'Not done.\n/reopen' }));
  assert.deepEqual([reworded.status, reworded.body.body], [200, 'Not done.']);
  const unsaid = await owner.put(`${notes}/${id}`, { body: '/close' });
  assert.deepEqual([unsaid.status, unsaid.body.summary], [202, ['Closed this issue.']]);
  assert.equal((await owner.get(`${notes}/${id}`)).status, 404);
  const thread = await expectSuccess(owner.post(`${at}/discussions`, { body: 'Again\n/reopen' }));
  assert.deepEqual(thread.body.notes[0].commands_changes, { state_event: 'reopen' });
  const alone = await owner.post(`${at}/discussions`, { body: '/close' });
  assert.deepEqual([alone.status, alone.body.summary], [202, ['Closed this issue.']]);
});

test('applies nothing without the right, and removes the commands from the text', async () => {
  const { at, notes } = await newIssue(project, { title: 'Title' });
  const { status, body } = await guest.post(notes, {
    body: 'Please\n/close\n/title Other\n/label ~bug\n/due tomorrow',
  });
  assert.deepEqual([status, body.body, body.commands_changes], [201, 'Please', {}]);
  const { state, title, labels, due_date } = (await owner.get(at)).body;
  assert.deepEqual([state, title, labels, due_date], ['opened', 'Title', [], null]);
  const own = await newIssue(project, {}, guest);
  const closed = await guest.post(own.notes, { body: '/close\n/label ~bug' });
  assert.deepEqual(closed.body.summary, ['Closed this issue. Could not apply label command.']);
});

test('writes nothing if the update is invalid', async () => {
  const { at, notes } = await newIssue(project);
  const cases = {
    [`Text\n/title ${'x'.repeat(256)}`]: 'Title is too long (maximum is 255 characters)',
    '/close\n/spend -1h': 'Time to subtract exceeds the total time spent',
  };
  for (const [body, text] of Object.entries(cases)) {
    const answer = await owner.post(notes, { body });
    const message = `400 Bad request - Note {:validation=>["${text}"]}`;
    assert.deepEqual([answer.status, answer.body], [400, { message }]);
  }
  assert.equal((await owner.get(at)).body.state, 'opened');
  assert.deepEqual((await owner.get(notes)).body, []);
});

test('records the same events as PUT when closing', async () => {
  const [one, other] = [await newIssue(project), await newIssue(project)];
  await expectSuccess(owner.post(one.notes, { body: '/close' }));
  await expectSuccess(owner.put(other.at, { state_event: 'close' }));
  await runJobs();
  const recordedEvents = async ({ at, id }: { at: string; id: number }) => [
    (await owner.get(`${at}/resource_state_events`)).body.map(({ state }: { state: string }) => state),
    (await owner.get(`${project.at}/events`, { target_type: 'issue', action: 'closed' })).body.filter(
      ({ target_id }: { target_id: number }) => target_id === id,
    ).length,
  ];
  assert.deepEqual(await recordedEvents(one), [['closed'], 1]);
  assert.deepEqual(await recordedEvents(one), await recordedEvents(other));
});

test('applies quick actions in descriptions on create and update', async () => {
  const description = `Text\n/label ~bug\n/assign me\n/due tomorrow\n/todo\n/close`;
  const { body } = await expectSuccess(
    owner.post(`${project.at}/issues`, { title: 'New', labels: 'two words', description }),
  );
  assert.deepEqual(
    [body.state, body.labels, body.due_date, body.description, body.assignees[0].id],
    ['closed', ['bug', 'two words'], tomorrow, 'Text', owner.id],
  );
  const changed = await expectSuccess(
    owner.put(`${project.at}/issues/${body.iid}`, { description: '/reopen\n/estimate 1h' }),
  );
  assert.deepEqual(
    [changed.body.state, changed.body.description, changed.body.time_stats.time_estimate],
    ['opened', '', 3600],
  );
  const stranger = await user();
  const open = await newProject({ visibility: 'public' });
  const filed = await expectSuccess(
    stranger.post(`${open.at}/issues`, { title: 'x', description: '/confidential\n/weight 3\n/assign me' }),
  );
  assert.deepEqual([filed.body.confidential, filed.body.weight, filed.body.assignees], [true, null, []]);
  const mr = await newMergeRequest(project, { description: '/draft\n/assign_reviewer me\n/close' });
  assert.deepEqual(
    [mr.title, mr.reviewers[0].id, mr.state, mr.description],
    ['Draft: Add words', owner.id, 'closed', ''],
  );
  const made = await expectSuccess(
    owner.post(`${group.at}/epics`, { title: 'New', description: '/close\n/label ~bug' }),
  );
  assert.deepEqual([made.body.state, made.body.description], ['closed', '']);
});
