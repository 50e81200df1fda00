import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUnsubscribeToken, type UnsubscribeClaim } from '#mail/unsubscribe-link.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createMail } from '../mail-messages/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const here = await world();
const { anonymous, newProject, server } = here;

/** The link of a mail; `//` is the server's root. */
async function linkOf(claim: UnsubscribeClaim): Promise<string> {
  return `//-/sent_notifications/${createUnsubscribeToken(await server.services.secretKey(), claim)}/unsubscribe`;
}

const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' };

/** Creates a project with an issue to which its assignee is subscribed. */
async function issueWithSubscriber() {
  const project = await newProject({ with: ['developer'] });
  const { developer } = project;
  const issue = await newIssue(project, { assignee_ids: [developer.id] });
  const isSubscribed = async () => (await expectSuccess(developer.get(issue.at))).body.subscribed as boolean;
  return { project, developer, issue, isSubscribed };
}

test('unsubscribes on POST without sign-in, but not on GET', async () => {
  const { developer, issue, isSubscribed } = await issueWithSubscriber();
  const link = await linkOf({ target: 'Issue', id: issue.id, userId: developer.id });
  const page = await anonymous.get(link);
  assert.deepEqual([page.status, page.text.includes('<form method="post"')], [200, true]);
  assert.ok(!page.text.includes('Retry loop'), 'the page does not reveal the title');
  assert.equal(await isSubscribed(), true);
  const response = await anonymous.post(link, ONE_CLICK);
  assert.deepEqual([response.status, response.text.includes('Unsubscribed')], [200, true]);
  assert.equal(await isSubscribed(), false);
  assert.equal(
    (await anonymous.post(link)).status,
    200,
    'the button of the page works again after the one-click request',
  );
});

test('returns 404 for an unsigned link', async () => {
  const { developer, project, issue, isSubscribed } = await issueWithSubscriber();
  const link = await linkOf({ target: 'Issue', id: issue.id, userId: project.owner.id });
  const forged = link.replace(`-${project.owner.id}-`, `-${developer.id}-`);
  for (const path of [forged, `//-/sent_notifications/x/unsubscribe`]) {
    for (const response of [await anonymous.get(path), await anonymous.post(path, ONE_CLICK)]) {
      assert.deepEqual(
        [response.status, response.text.includes('This unsubscribe link is invalid.')],
        [404, true],
        path,
      );
    }
  }
  assert.equal(await isSubscribed(), true);
});

test('does not reveal whether the target still exists', async () => {
  const { developer, project, issue } = await issueWithSubscriber();
  const links = [
    await linkOf({ target: 'Issue', id: issue.id, userId: developer.id }),
    await linkOf({ target: 'Issue', id: 987_654, userId: developer.id }),
    await linkOf({ target: 'Issue', id: issue.id, userId: 987_654 }),
  ];
  const texts = await Promise.all(links.map(async (link) => (await anonymous.post(link, ONE_CLICK)).text));
  assert.deepEqual([...new Set(texts)].length, 1);
  assert.equal((await expectSuccess(project.owner.get(issue.at))).status, 200);
});

test('disables mails of a project except for subscriptions', async () => {
  const { developer, project } = await issueWithSubscriber();
  const link = await linkOf({ target: 'Project', id: project.id, userId: developer.id });
  const pages = [(await anonymous.get(link)).text, (await anonymous.post(link, ONE_CLICK)).text];
  for (const text of pages) assert.match(text, /this project, except for what you are subscribed to there\./);
  const { body } = await developer.get(`${project.at}/notification_settings`);
  assert.deepEqual(body, { level: 'disabled' });
});

test('unsubscribes from all targets of a digest', async () => {
  const [first, second] = [await issueWithSubscriber(), await issueWithSubscriber()];
  const { id: recipient_id } = first.developer;
  await second.project.addMember('guest', first.developer);
  const mail = (target_id: number, digest_id: number | null) =>
    createMail(here, 'sent', { recipient_id, target_id, digest_id });
  const digest = await mail(first.issue.id, null);
  await server.services.database.transaction((tx) =>
    tx.updateTable('mail_messages').set({ digest_id: digest }).where('id', '=', digest).execute(),
  );
  await mail(second.issue.id, digest);
  await expectSuccess(first.developer.post(`${second.issue.at}/subscribe`));
  await expectSuccess(anonymous.post(await linkOf({ target: 'Digest', id: digest, userId: recipient_id }), ONE_CLICK));
  assert.equal(await first.isSubscribed(), false);
  assert.equal((await expectSuccess(first.developer.get(second.issue.at))).body.subscribed, false);
  assert.equal(await second.isSubscribed(), true, 'the mail belonged to another user');
});

test('unsubscribes from the project by mails about commits, pipelines and alerts', async () => {
  for (const target_type of ['Commit', 'Pipeline', 'Alert']) {
    const project = await newProject();
    const { owner, at } = project;
    const to = { recipient_id: owner.id, recipient_email: 'owner@hearth.test', project_id: project.id };
    const id = await createMail(here, 'sent', { target_type, ...to });
    await server.services.database.transaction((tx) =>
      tx.updateTable('mail_messages').set({ digest_id: id }).where('id', '=', id).execute(),
    );
    await expectSuccess(anonymous.post(await linkOf({ target: 'Digest', id, userId: owner.id }), ONE_CLICK));
    assert.equal((await expectSuccess(owner.get(`${at}/notification_settings`))).body.level, 'disabled', target_type);
  }
});
