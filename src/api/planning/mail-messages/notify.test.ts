import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRun } from '#test/support/job-run.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { mailOutbox } from './fixtures.testing.ts';
import { notifyUsers } from './notify.ts';

// The recipients of notifications, as stored in the outbox.

const env = { HEARTH_MAIL_DELIVERY: 'outbox', HEARTH_EXTERNAL_URL: 'https://hearth.example' };
const here = await world({ env });
const { root, user, runJobs, newProject, newGroup, server, clock } = here;
const { database } = server.services;

type Params = Readonly<Record<string, unknown>>;

const { mails, recipientsOf: filteredRecipientsOf } = mailOutbox(here);
const recipientsOf = ({ id }: Project, doing: () => Promise<unknown>) =>
  filteredRecipientsOf({ project_id: id }, doing);

const level = (who: Caller, place: string, value: string, events: object = {}) =>
  expectSuccess(who.put(`${place}/notification_settings`, { level: value, ...events }));

test('notifies participants of a comment in a reply to the issue’s mail', async () => {
  const project = await newProject({ with: ['developer'] });
  const { developer, owner } = project;
  const issue = await newIssue(project, { assignee_ids: [developer.id] });
  await runJobs();
  const note = (await owner.post(issue.notes, { body: 'Seen on two hosts' })).body;
  const [mail] = await mails({ project_id: project.id, event: 'new_note' });
  assert.deepEqual(mail, {
    id: mail?.id,
    state: 'held',
    event: 'new_note',
    reason: 'assigned',
    recipient_id: developer.id,
    recipient_email: `${developer.username}@hearth.test`,
    project_id: project.id,
    group_id: null,
    target_type: 'Issue',
    target_id: issue.id,
    subject: `Re: ${project.name} | Retry loop spins (#${issue.iid})`,
    message_id: `<note_${note.id}@hearth.example>`,
    in_reply_to: `<issue_${issue.id}@hearth.example>`,
    attempts: 0,
    last_error: null,
    created_at: clock.now().toISOString(),
    sent_at: null,
  });
});

test('notifies watchers of each event but never its actor', async () => {
  const project = await newProject({ with: ['developer', 'guest'] });
  const { developer: dev, guest, owner } = project;
  await level(guest, project.at, 'watch');
  const recipients = (doing: () => Promise<unknown>) => recipientsOf(project, doing);
  const path = `${project.at}/issues`;
  assert.deepEqual(await recipients(() => owner.post(path, { title: 'T' })), [`${guest.id} new_issue null`]);
  const change = (params: Params) => () => expectSuccess(owner.put(`${path}/1`, params));
  assert.deepEqual(await recipients(change({ state_event: 'close' })), [`${guest.id} close_issue null`]);
  assert.deepEqual(await recipients(change({ state_event: 'close' })), [], 'the issue was closed already');
  assert.deepEqual(await recipients(change({ state_event: 'reopen' })), [`${guest.id} reopen_issue null`]);
  const onAssign = [`${guest.id} reassign_issue null`, `${dev.id} reassign_issue assigned`].sort();
  assert.deepEqual(await recipients(change({ assignee_ids: [dev.id] })), onAssign);
  const onUnassign = [`${guest.id} reassign_issue null`, `${dev.id} reassign_issue null`].sort();
  assert.deepEqual(await recipients(change({ assignee_ids: [] })), onUnassign, 'notifies the former assignee too');
  assert.deepEqual(await recipients(change({ title: 'Other' })), []);
});

test('notifies mentioned users and makes them participants', async () => {
  const project = await newProject({ with: ['developer', 'guest'] });
  const { developer: dev, guest, owner } = project;
  await level(dev, project.at, 'mention');
  const stranger = await user();
  const description = `Ask @${dev.username} and @${stranger.username}, not \`@${guest.username}\``;
  const first = await recipientsOf(project, () => newIssue(project, { description }));
  assert.deepEqual(first, [`${dev.id} new_issue mentioned`], 'the stranger cannot see the project');
  const comment = (body: string) => () => expectSuccess(owner.post(`${project.at}/issues/1/notes`, { body }));
  assert.deepEqual(await recipientsOf(project, comment('Hm')), [], 'only mentions');
  await level(dev, project.at, 'participating');
  assert.deepEqual(await recipientsOf(project, comment('Hm')), [`${dev.id} new_note null`]);
  assert.deepEqual(await recipientsOf(project, comment(`@${guest.username}`)), [
    `${dev.id} new_note null`,
    `${guest.id} new_note mentioned`,
  ]);
});

test('makes users mentioned in an edit participants without notifying them', async () => {
  const project = await newProject({ with: ['developer', 'guest', 'reporter'] });
  const { developer, guest, reporter, owner } = project;
  const issue = await newIssue(project);
  const note = (await expectSuccess(owner.post(issue.notes, { body: 'Hm', internal: true }))).body;
  const edits = async () => {
    await expectSuccess(owner.put(issue.at, { description: `Ask @${guest.username}`, title: 'Not @here' }));
    const body = `@${developer.username}, but not @${guest.username}`;
    await expectSuccess(owner.put(`${issue.notes}/${note.id}`, { body }));
  };
  assert.deepEqual(await recipientsOf(project, edits), []);
  const comment = () => expectSuccess(reporter.post(issue.notes, { body: 'Hm' }));
  const recipients = [owner, developer, guest].map(({ id }) => `${id} new_note null`);
  assert.deepEqual(await recipientsOf(project, comment), recipients.sort());
});

test('prefers the setting of the project, then the nearest group, then the global one', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group });
  const member = await project.addMember('reporter');
  const file = () => recipientsOf(project, () => newIssue(project));
  const expected = [`${member.id} new_issue null`];
  await level(member, '', 'watch');
  assert.deepEqual(await file(), expected);
  await level(member, group.at, 'mention');
  assert.deepEqual(await file(), []);
  await level(member, project.at, 'custom', { new_issue: true });
  assert.deepEqual(await file(), expected);
  await level(member, project.at, 'custom', { new_issue: false });
  assert.deepEqual(await file(), []);
  await level(member, project.at, 'global');
  await level(member, group.at, 'global');
  assert.deepEqual(await file(), expected);
});

test('notifies only readers of confidential and internal texts', async () => {
  const project = await newProject({ visibility: 'public', with: ['guest', 'planner'] });
  const { guest, planner, owner } = project;
  for (const one of [guest, planner]) await level(one, project.at, 'watch');
  const secret = await recipientsOf(project, () => newIssue(project, { confidential: true }));
  assert.deepEqual(secret, [`${planner.id} new_issue null`]);
  const open = await newIssue(project, { assignee_ids: [guest.id] });
  await runJobs();
  const internal = { body: `@${guest.username}`, internal: true };
  assert.deepEqual(await recipientsOf(project, () => expectSuccess(owner.post(open.notes, internal))), [
    `${planner.id} new_note null`,
  ]);
  const own = await newIssue(project, { confidential: true }, guest);
  await runJobs();
  const comment = () => expectSuccess(owner.post(own.notes, { body: 'Hm' }));
  assert.deepEqual(
    await recipientsOf(project, comment),
    [guest, planner].map(({ id }) => `${id} new_note null`).sort(),
  );
});

test('does not make users participants who may not read the internal comment', async () => {
  const project = await newProject({ visibility: 'public', with: ['reporter'] });
  const { reporter, owner } = project;
  const outsider = await user();
  const issue = await newIssue(project);
  const comment = (body: string, internal = false) => expectSuccess(owner.post(issue.notes, { body, internal }));
  await comment(`@${outsider.username} must not know, @${reporter.username}`, true);
  await runJobs();
  assert.deepEqual(await recipientsOf(project, () => comment('Hm')), [`${reporter.id} new_note null`]);
});

test('applies the global level to a project setting of global for non-members', async () => {
  const project = await newProject({ visibility: 'public', with: ['guest'] });
  const { guest, owner } = project;
  const far = await user();
  for (const one of [guest, far]) await level(one, '', 'custom', { close_issue: true });
  await level(far, project.at, 'global');
  const issue = await newIssue(project);
  await runJobs();
  const close = () => expectSuccess(owner.put(issue.at, { state_event: 'close' }));
  const recipients = [guest, far].map(({ id }) => `${id} close_issue null`).sort();
  assert.deepEqual(await recipientsOf(project, close), recipients);
});

test('skips unsubscribed users unless mentioned, and notifies subscribers despite disabled', async () => {
  const project = await newProject({ with: ['developer', 'guest'] });
  const { developer: dev, guest, owner } = project;
  const issue = await newIssue(project, { assignee_ids: [dev.id] });
  await expectSuccess(dev.post(`${issue.at}/unsubscribe`));
  await level(guest, project.at, 'disabled');
  await expectSuccess(guest.post(`${issue.at}/subscribe`));
  await runJobs();
  const comment = (body: string) => () => expectSuccess(owner.post(issue.notes, { body }));
  assert.deepEqual(await recipientsOf(project, comment('Hm')), [`${guest.id} new_note subscribed`]);
  const expected = [`${guest.id} new_note subscribed`, `${dev.id} new_note assigned`].sort();
  assert.deepEqual(await recipientsOf(project, comment(`@${dev.username}`)), expected);
});

test('skips blocked and unconfirmed users, bots, and projects with mails disabled', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group, with: ['developer', 'guest', 'reporter'] });
  const { developer, guest, reporter, owner } = project;
  for (const one of [developer, guest, reporter]) await level(one, project.at, 'watch');
  const set = (id: number, change: object) =>
    database.transaction((tx) => tx.updateTable('users').set(change).where('id', '=', id).execute());
  await expectSuccess(root.post(`/users/${developer.id}/block`));
  await set(guest.id, { confirmed_at: null });
  await set(reporter.id, { bot: true });
  assert.deepEqual(await recipientsOf(project, () => newIssue(project)), []);
  await expectSuccess(root.post(`/users/${developer.id}/unblock`));
  const expected = [`${developer.id} new_issue null`];
  assert.deepEqual(await recipientsOf(project, () => newIssue(project)), expected);
  for (const place of [project, group]) {
    await expectSuccess(owner.put(place.at, { emails_enabled: false }));
    assert.deepEqual(await recipientsOf(project, () => newIssue(project)), []);
    await expectSuccess(owner.put(place.at, { emails_enabled: true }));
  }
  assert.deepEqual(await recipientsOf(project, () => newIssue(project)), expected);
});

test('notifies non-members who watch a public project, but not by a global watch level', async () => {
  const project = await newProject({ visibility: 'public' });
  const [near, far] = [await user(), await user()];
  await level(near, project.at, 'watch');
  await level(far, '', 'watch');
  assert.deepEqual(await recipientsOf(project, () => newIssue(project)), [`${near.id} new_issue null`]);
});

test('sends mails to the chosen address', async () => {
  const project = await newProject({ with: ['developer'] });
  const { developer } = project;
  const email = `other-${developer.username}@mail.test`;
  await expectSuccess(root.post(`/users/${developer.id}/emails`, { email, skip_confirmation: true }));
  await level(developer, '', 'watch', { notification_email: email });
  await newIssue(project);
  const [mail] = await mails({ project_id: project.id });
  assert.equal(mail?.recipient_email, email);
});

test('notifies nobody of a rolled back event', async () => {
  const project = await newProject({ with: ['developer'] });
  await level(project.developer, project.at, 'watch');
  const createInvalidIssue = async () => {
    const { status } = await project.owner.post(`${project.at}/issues`, { title: 'T', weight: -1 });
    assert.equal(status, 400);
  };
  assert.deepEqual(await recipientsOf(project, createInvalidIssue), []);
});

test('enqueues one job per event, which can run twice without duplicate mails', async () => {
  const project = await newProject({ with: ['developer', 'guest'] });
  for (const one of [project.developer, project.guest]) await level(one, project.at, 'watch');
  await runJobs();
  const { id } = await newIssue(project);
  const waiting = database.reader
    .selectFrom('background_jobs')
    .select(['kind', 'payload'])
    .where('kind', '=', 'notify_users');
  const [job, ...others] = await waiting.execute();
  assert.deepEqual([job?.kind, others], ['notify_users', []]);
  const run = jobRun();
  for (let times = 0; times < 2; times++) await notifyUsers.handle(server.services, JSON.parse(job!.payload), run);
  assert.equal((await mails({ target_type: 'Issue', target_id: id })).length, 2);
});

test('notifies of open issues due tomorrow once, including the author', async () => {
  const project = await newProject({ with: ['developer'] });
  const { developer, owner } = project;
  const due_date = new Date(clock.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10);
  await newIssue(project, { due_date, assignee_ids: [developer.id] });
  const closed = await newIssue(project, { due_date });
  await expectSuccess(owner.put(closed.at, { state_event: 'close' }));
  await runJobs();
  const expected = [`${developer.id} issue_due assigned`, `${owner.id} issue_due null`].sort();
  assert.deepEqual(await recipientsOf(project, async () => clock.advance(86_400)), expected);
  assert.deepEqual(await recipientsOf(project, async () => clock.advance(86_400)), []);
});

test('notifies Maintainers and Owners of a moved project', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group, with: ['maintainer', 'developer'] });
  const { maintainer, developer, owner } = project;
  await level(developer, project.at, 'watch');
  const path = `moved-${project.path}`;
  const recipients = await recipientsOf(project, () => expectSuccess(owner.put(project.at, { path })));
  assert.deepEqual(recipients, [`${maintainer.id} moved_project null`]);
  const deleteAndRestore = async () => {
    await expectSuccess(owner.delete(project.at));
    await runJobs();
    await expectSuccess(owner.post(`${project.at}/restore`));
  };
  assert.deepEqual(await recipientsOf(project, deleteAndRestore), [], 'the rename on scheduled deletion is no move');
  await level(maintainer, project.at, 'custom', { moved_project: false });
  assert.deepEqual(await recipientsOf(project, () => expectSuccess(owner.put(project.at, { path: project.path }))), []);
});

test('prevents header injection by a title', async () => {
  const project = await newProject({ with: ['developer'] });
  await level(project.developer, project.at, 'watch');
  await newIssue(project, { title: 'Spins\r\nBcc: eve@evil.test\r\n\r\nBuy' });
  const [mail] = await mails({ project_id: project.id });
  assert.equal(mail?.subject, `${project.name} | Spins Bcc: eve@evil.test Buy (#1)`);
});
