import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { mailOutbox } from './fixtures.testing.ts';

// Notifications of comments on commits.

const env = { HEARTH_MAIL_DELIVERY: 'outbox', HEARTH_EXTERNAL_URL: 'https://hearth.example' };
const here = await world({ env });
const { newProject, root, user, clock, runJobs } = here;
const { mails, recipientsOf: filteredRecipientsOf } = mailOutbox(here);
const recipientsOf = ({ id }: Project, action: () => Promise<unknown>) =>
  filteredRecipientsOf({ project_id: id }, action);

const setLevel = (who: Caller, at: string, level: string) =>
  expectSuccess(who.put(`${at}/notification_settings`, { level }));

/** Creates a commit with this author address; returns its URL. */
async function newCommit({ owner, repository }: Project, author_email: string) {
  const commit = {
    branch: 'main',
    commit_message: 'Add words',
    author_email,
    actions: [{ action: 'create', file_path: here.name('file'), content: 'one\n' }],
  };
  const { id, short_id } = (await expectSuccess(owner.post(`${repository}/commits`, commit))).body;
  return { id, short_id, at: `${repository}/commits/${id}` };
}

const newComment = (by: Caller, { at }: { readonly at: string }, note: string) =>
  expectSuccess(by.post(`${at}/comments`, { note }));

test('notifies the author of the commit of a comment', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { developer, owner } = project;
  const commit = await newCommit(project, `${developer.username.toUpperCase()}@hearth.test`);
  await newComment(owner, commit, 'Why?');
  const [mail, ...others] = await mails({ project_id: project.id });
  const { notes } = (await expectSuccess(owner.get(`${commit.at}/discussions`))).body[0];
  assert.equal(others.length, 0);
  assert.deepEqual(mail, {
    id: mail?.id,
    state: 'held',
    event: 'new_note',
    reason: null,
    recipient_id: developer.id,
    recipient_email: `${developer.username}@hearth.test`,
    project_id: project.id,
    group_id: null,
    target_type: 'Commit',
    target_id: (mail as never as { target_id: number }).target_id,
    subject: `Re: ${project.name} | Add words (${commit.short_id})`,
    message_id: `<note_${notes[0].id}@hearth.example>`,
    in_reply_to: `<commit_${(mail as never as { target_id: number }).target_id}@hearth.example>`,
    attempts: 0,
    last_error: null,
    created_at: clock.now().toISOString(),
    sent_at: null,
  });
  const filtered = await mails({ target_type: 'Commit', project_id: project.id });
  assert.deepEqual(filtered, [mail]);
});

test('finds the author by a confirmed secondary address only', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { developer, owner } = project;
  const email = `${developer.username}@work.test`;
  await expectSuccess(developer.post('/user/emails', { email }));
  const commit = await newCommit(project, email);
  assert.deepEqual(await recipientsOf(project, () => newComment(owner, commit, 'Why?')), []);
  const added = (await expectSuccess(root.get(`/users/${developer.id}/emails`))).body.find(
    (one: { email: string }) => one.email === email,
  );
  await expectSuccess(root.delete(`/users/${developer.id}/emails/${added.id}`));
  await expectSuccess(root.post(`/users/${developer.id}/emails`, { email, skip_confirmation: true }));
  const expected = [`${developer.id} new_note null`];
  assert.deepEqual(await recipientsOf(project, () => newComment(owner, commit, 'Why?')), expected);
});

test('notifies earlier commenters, users mentioned earlier and now, and watchers', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'reporter', 'maintainer'] });
  const { developer, reporter, maintainer, owner } = project;
  const watcher = await project.addMember('reporter');
  await setLevel(watcher, project.at, 'watch');
  const commit = await newCommit(project, 'nobody@elsewhere.test');
  const watched = `${watcher.id} new_note null`;
  assert.deepEqual(await recipientsOf(project, () => newComment(developer, commit, 'First')), [watched]);
  const mention = () => newComment(owner, commit, `See @${reporter.username}`);
  const onMention = [`${developer.id} new_note null`, `${reporter.id} new_note mentioned`, watched];
  assert.deepEqual(await recipientsOf(project, mention), onMention.sort());
  const discuss = () => expectSuccess(maintainer.post(`${commit.at}/discussions`, { body: 'Third' }));
  const onThread = [developer, reporter, owner].map(({ id }) => `${id} new_note null`);
  assert.deepEqual(await recipientsOf(project, discuss), [...onThread, watched].sort());
  const other = await newCommit(project, 'nobody@elsewhere.test');
  assert.deepEqual(await recipientsOf(project, () => newComment(owner, other, 'Alone')), [watched]);
});

test('notifies of replies and of comments on lines', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { developer, owner } = project;
  const commit = await newCommit(project, `${developer.username}@hearth.test`);
  const discussion = (await expectSuccess(owner.post(`${commit.at}/discussions`, { body: 'One' }))).body.id;
  await runJobs();
  const expected = [`${developer.id} new_note null`];
  const reply = () => expectSuccess(owner.post(`${commit.at}/discussions/${discussion}/notes`, { body: 'Two' }));
  assert.deepEqual(await recipientsOf(project, reply), expected);
  const [{ new_path: path }] = (await expectSuccess(owner.get(`${commit.at}/diff`))).body;
  const onLine = async () => {
    const { body } = await expectSuccess(owner.post(`${commit.at}/comments`, { note: 'Three', path, line: 1 }));
    assert.equal(body.line, 1);
  };
  assert.deepEqual(await recipientsOf(project, onLine), expected);
});

test('follows the notification levels of the author and of mentioned users', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'reporter'] });
  const { developer, reporter, owner } = project;
  const commit = await newCommit(project, `${developer.username}@hearth.test`);
  const mention = () => newComment(owner, commit, `@${reporter.username} and @${developer.username}`);
  await setLevel(developer, project.at, 'mention');
  await setLevel(reporter, project.at, 'disabled');
  assert.deepEqual(await recipientsOf(project, mention), [`${developer.id} new_note mentioned`]);
  assert.deepEqual(await recipientsOf(project, () => newComment(owner, commit, 'Hm')), []);
});

test('does not notify the commenter, callers without access to the code, and projects with mails disabled', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'guest'] });
  const { developer, guest, owner } = project;
  const stranger = await user();
  const commit = await newCommit(project, `${developer.username}@hearth.test`);
  assert.deepEqual(await recipientsOf(project, () => newComment(developer, commit, 'Mine')), []);
  const mention = () => newComment(developer, commit, `@${guest.username} @${stranger.username}`);
  assert.deepEqual(await recipientsOf(project, mention), []);
  await expectSuccess(owner.put(project.at, { emails_enabled: false }));
  assert.deepEqual(await recipientsOf(project, () => newComment(owner, commit, 'Hm')), []);
});
