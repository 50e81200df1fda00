import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newIssue } from '#api/planning/notes/fixtures.testing.ts';
import { getMailHeader, getMailParts, type ReceivedMail, startSmtpSink } from '#test/support/smtp-sink.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { createMail } from '../fixtures.testing.ts';

// Delivery of mails to an SMTP server that stores them.

const sink = await startSmtpSink();
const here = await world({
  env: {
    HEARTH_MAIL_DELIVERY: 'smtp',
    HEARTH_SMTP_URL: `smtp://postman:s3cret-pass@127.0.0.1:${sink.port}`,
    HEARTH_MAIL_FROM: 'hearth@hearth.example',
    HEARTH_MAIL_DISPLAY_NAME: 'Hearth',
    HEARTH_EXTERNAL_URL: 'https://hearth.example/base',
  },
});
const { root, runJobs, newProject, clock, server, logged } = here;
const { database } = server.services;
after(() => sink.stop());

/** Creates a project with a watcher. */
async function projectWithWatcher(): Promise<{ project: Project; watcher: Caller; owner: Caller }> {
  const project = await newProject({ with: ['developer'] });
  const watcher = project.developer;
  await expectSuccess(watcher.put(`${project.at}/notification_settings`, { level: 'watch' }));
  return { project, watcher, owner: project.owner };
}

const mailsTo = ({ username }: Caller): ReceivedMail[] =>
  sink.mails.filter(({ to }) => to === `${username}@hearth.test`);

const rowsOf = async (who: Caller, filter: Readonly<Record<string, unknown>> = {}) =>
  (await expectSuccess(root.get('/admin/mail_messages', { recipient_id: who.id, per_page: 100, ...filter }))).body;

const statesOf = async (who: Caller): Promise<string[]> =>
  (await rowsOf(who)).map(({ state }: { state: string }) => state);

test('delivers a mail about a commit with its SHA and link', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { developer, owner } = project;
  const sha = await project.commit({ 'a.txt': 'one' }, { message: 'Add words' });
  await expectSuccess(
    owner.post(`${project.repository}/commits/${sha}/comments`, { note: `Seen, @${developer.username}?` }),
  );
  await runJobs();
  const [mail] = mailsTo(developer);
  const header = (name: string) => getMailHeader(mail!, name);
  assert.equal(header('X-GitLab-Commit-ID'), sha);
  assert.equal(header('X-GitLab-NotificationReason'), 'mentioned');
  assert.equal(header('Subject'), `Re: ${project.name} | Add words (${sha.slice(0, 8)})`);
  const { text } = getMailParts(mail!);
  assert.ok(text.includes(`/${project.path_with_namespace}/-/commit/${sha}#note_`), text);
  assert.ok(text.includes(` commented on commit ${sha.slice(0, 8)}:`), text);
});

test('delivers a mail once with all headers', async () => {
  const { project, watcher } = await projectWithWatcher();
  const issue = await newIssue(project, { title: 'Größe <b>', description: 'Line & <script>\n.\nEnd' });
  await runJobs();
  await runJobs();
  const [mail, ...others] = mailsTo(watcher);
  assert.equal(others.length, 0);
  const header = (name: string) => getMailHeader(mail!, name);
  const path = project.path_with_namespace;
  assert.match(header('List-Id') ?? '', new RegExp(`^${path} <${project.id}\\.[a-z0-9.-]+\\.hearth\\.example>$`));
  assert.equal(header('Message-ID'), `<issue_${issue.id}@hearth.example>`);
  assert.equal(header('Auto-Submitted'), 'auto-generated');
  assert.equal(header('X-GitLab-Project'), project.name);
  assert.equal(header('X-GitLab-Project-Id'), String(project.id));
  assert.equal(header('X-GitLab-Project-Path'), path);
  assert.equal(header('X-GitLab-Issue-ID'), String(issue.id));
  assert.equal(header('X-GitLab-Issue-IID'), String(issue.iid));
  assert.equal(header('X-GitLab-NotificationReason'), undefined);
  assert.equal(header('List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  assert.match(
    header('List-Unsubscribe') ?? '',
    /^<https:\/\/hearth\.example\/base\/-\/sent_notifications\/[\w-]+\/unsubscribe>$/,
  );
  const { text, html } = getMailParts(mail!);
  assert.ok(text.includes('Line & <script>\r\n.\r\nEnd') || text.includes('Line & <script>\n.\nEnd'), text);
  assert.ok(html.includes('Line &#38; &#60;script&#62;') && !html.includes('<script>'), html);
  assert.ok(text.includes(`https://hearth.example/base/${path}/-/issues/${issue.iid}`), text);
  const [row] = await rowsOf(watcher);
  assert.deepEqual([row.state, row.attempts, row.sent_at], ['sent', 1, clock.now().toISOString()]);
});

test('delivers once after the SMTP server is back', async () => {
  const { project, watcher } = await projectWithWatcher();
  await sink.stop();
  await newIssue(project);
  await runJobs();
  const [row] = await rowsOf(watcher);
  assert.deepEqual([row.state, row.attempts], ['queued', 1]);
  assert.match(row.last_error, /ECONNREFUSED|connect/i);
  await sink.start();
  await runJobs();
  assert.deepEqual(mailsTo(watcher), [], 'no retry within a minute');
  clock.advance(75);
  await runJobs();
  clock.advance(3_600);
  await runJobs();
  assert.equal(mailsTo(watcher).length, 1);
  assert.deepEqual(await statesOf(watcher), ['sent']);
  assert.ok(!logged().includes('s3cret-pass'), 'the password is in the log');
});

test('fails a mail after six attempts and allows a retry', async () => {
  const { project, watcher } = await projectWithWatcher();
  await sink.stop();
  await newIssue(project);
  for (const minutes of [0, 1.3, 6.1, 18.1, 72.1, 288.1]) {
    clock.advance(minutes * 60);
    await runJobs();
  }
  const [row] = await rowsOf(watcher);
  assert.deepEqual([row.state, row.attempts], ['failed', 6]);
  await sink.start();
  const again = await expectSuccess(root.post(`/admin/mail_messages/${row.id}/retry`));
  assert.deepEqual([again.status, again.body.state, again.body.attempts], [200, 'queued', 0]);
  await runJobs();
  assert.deepEqual(await statesOf(watcher), ['sent']);
  const refused = await root.post(`/admin/mail_messages/${row.id}/retry`);
  assert.deepEqual([refused.status, refused.body], [400, { message: 'Only failed messages can be retried' }]);
});

test('does not retry a permanently rejected recipient', async () => {
  const { project, watcher } = await projectWithWatcher();
  sink.behaviour.recipient = (address) => (address.startsWith(watcher.username) ? '550 No such user' : '250 OK');
  await newIssue(project);
  await runJobs();
  delete sink.behaviour.recipient;
  const [row] = await rowsOf(watcher);
  assert.deepEqual([row.state, row.attempts], ['failed', 1]);
  clock.advance(86_400);
  await runJobs();
  assert.deepEqual(mailsTo(watcher), []);
});

test('counts mails in the metrics by the outcome of each attempt', async () => {
  const countMails = async () => {
    const { text } = await here.anonymous.get('//-/metrics');
    const count = (outcome: string) =>
      Number(text.match(new RegExp(`hearth_mails_total.outcome="${outcome}". (\\d+)`))?.[1] ?? 0);
    return [count('sent'), count('retried'), count('failed')];
  };
  const { project, watcher } = await projectWithWatcher();
  const before = await countMails();
  await sink.stop();
  await newIssue(project);
  await runJobs();
  await sink.start();
  clock.advance(75);
  await runJobs();
  sink.behaviour.recipient = (address) => (address.startsWith(watcher.username) ? '550 No such user' : '250 OK');
  await newIssue(project);
  await runJobs();
  delete sink.behaviour.recipient;
  const later = await countMails();
  assert.deepEqual(
    later.map((count, index) => count - before[index]!),
    [1, 1, 1],
  );
});

test('skips a recipient who lost access before sending', async () => {
  const { project, watcher, owner } = await projectWithWatcher();
  await sink.stop();
  const issue = await newIssue(project);
  await newIssue(project);
  await runJobs();
  await expectSuccess(owner.delete(issue.at));
  await expectSuccess(owner.delete(`${project.at}/members/${watcher.id}`));
  await sink.start();
  clock.advance(75);
  await runJobs();
  assert.deepEqual(await statesOf(watcher), ['skipped', 'skipped']);
  assert.deepEqual(mailsTo(watcher), []);
});

test('sends mentions to unsubscribed assignees', async () => {
  const { project, watcher, owner } = await projectWithWatcher();
  const issue = await newIssue(project, { assignee_ids: [watcher.id] });
  await runJobs();
  await expectSuccess(watcher.post(`${issue.at}/unsubscribe`));
  await expectSuccess(owner.post(issue.notes, { body: 'Hm' }));
  await expectSuccess(owner.post(issue.notes, { body: `@${watcher.username}` }));
  await runJobs();
  assert.deepEqual(
    (await rowsOf(watcher, { event: 'new_note' })).map(({ state, reason }: Record<string, string>) => [state, reason]),
    [['sent', 'assigned']],
  );
});

test('sends mails above sixty per hour and address as one digest', async () => {
  const { project, watcher, owner } = await projectWithWatcher();
  const comment = async (body: string) => expectSuccess(owner.post(`${project.at}/issues/1/notes`, { body }));
  const sent = { recipient_email: `${watcher.username}@hearth.test`, sent_at: clock.now().toISOString() };
  for (let count = 0; count < 58; count++) await createMail(here, 'sent', sent);
  clock.advance(60);
  await newIssue(project);
  for (const body of ['a', 'b', 'c']) await comment(body);
  await runJobs();
  assert.equal(mailsTo(watcher).length, 2, 'the hourly limit has two mails left');
  await comment('d');
  await runJobs();
  assert.equal(mailsTo(watcher).length, 2);
  clock.advance(3_541);
  await runJobs();
  const all = mailsTo(watcher);
  assert.equal(all.length, 3);
  assert.equal(getMailHeader(all.at(-1)!, 'Subject'), '3 notifications');
  assert.match(getMailHeader(all.at(-1)!, 'List-Unsubscribe') ?? '', /sent_notifications\/d/);
  assert.deepEqual(await statesOf(watcher), Array(5).fill('sent'));
  await comment('Later');
  await runJobs();
  assert.equal(mailsTo(watcher).length, 4, 'later mails are sent individually again');
});

test('sends two digests if waiting mails leave at different times', async () => {
  const { project, watcher } = await projectWithWatcher();
  await sink.stop();
  const { id: target_id } = await newIssue(project);
  await runJobs();
  await database.transaction((tx) => tx.deleteFrom('mail_messages').where('target_id', '=', target_id).execute());
  await sink.start();
  const to = { recipient_id: watcher.id, recipient_email: `${watcher.username}@hearth.test`, target_id };
  for (let times = 0; times < 2; times++) {
    for (let count = 0; count < 2; count++) await createMail(here, 'queued', { ...to, digest_id: 900_000 });
    clock.advance(600);
    await runJobs();
  }
  const all = mailsTo(watcher);
  assert.deepEqual(await statesOf(watcher), Array(4).fill('sent'));
  for (const name of ['Message-ID', 'List-Unsubscribe'])
    assert.equal(new Set(all.map((mail) => getMailHeader(mail, name))).size, 2, name);
  const { reader } = database;
  const rows = reader.selectFrom('mail_messages').select('digest_id').distinct().where('recipient_id', '=', watcher.id);
  assert.equal((await rows.execute()).length, 2, 'the digests count as two mails');
});

test('retains sent mails for thirty days', async () => {
  const { project, watcher } = await projectWithWatcher();
  await newIssue(project);
  await runJobs();
  clock.advance(29 * 86_400);
  await runJobs();
  assert.deepEqual(await statesOf(watcher), ['sent']);
  clock.advance(86_400 + 3_600);
  await runJobs();
  clock.advance(86_400);
  await runJobs();
  assert.deepEqual(await statesOf(watcher), []);
  const at = `/${project.path_with_namespace}/%`;
  const left = database.reader.selectFrom('mail_occurrences').select('id').where('path', 'like', at);
  assert.deepEqual(await left.execute(), []);
});

test('retains failed and held mails as long as sent ones', async () => {
  const made = await Promise.all((['held', 'failed'] as const).map((state) => createMail(here, state)));
  const left = async () => {
    const rows = database.reader.selectFrom('mail_messages').select('id').where('id', 'in', made);
    return (await rows.execute()).length;
  };
  clock.advance(29 * 86_400);
  await runJobs();
  assert.equal(await left(), 2);
  clock.advance(2 * 86_400);
  await runJobs();
  assert.equal(await left(), 0);
});

test('lets another process send the mail of a dead process', async () => {
  const { project, watcher } = await projectWithWatcher();
  await newIssue(project);
  await runJobs();
  const { reader } = database;
  const row = await reader
    .selectFrom('mail_messages')
    .select('id')
    .where('recipient_id', '=', watcher.id)
    .executeTakeFirstOrThrow();
  const lease_until = new Date(clock.now().getTime() + 300_000).toISOString();
  const set = { state: 'sending' as const, lease_until, sent_at: null };
  await database.transaction((tx) => tx.updateTable('mail_messages').set(set).where('id', '=', row.id).execute());
  clock.advance(240);
  await runJobs();
  assert.deepEqual(await statesOf(watcher), ['sending']);
  clock.advance(660);
  await runJobs();
  assert.deepEqual(await statesOf(watcher), ['sent']);
  const [first, second] = mailsTo(watcher);
  assert.equal(
    getMailHeader(first!, 'Message-ID'),
    getMailHeader(second!, 'Message-ID'),
    'a retry has the same message id',
  );
});
