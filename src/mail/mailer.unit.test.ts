import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loadConfig } from '#config.ts';
import { getMailHeader, getMailParts, startSmtpSink } from '#test/support/smtp-sink.ts';
import { createMailer, type Mail } from './mailer.ts';

const sink = await startSmtpSink();
after(() => sink.stop());

const config = (url: string) =>
  loadConfig({
    HEARTH_EXTERNAL_URL: 'https://hearth.example',
    HEARTH_MAIL_DELIVERY: 'smtp',
    HEARTH_SMTP_URL: url,
    HEARTH_MAIL_FROM: 'hearth@hearth.example',
    HEARTH_MAIL_DISPLAY_NAME: 'Hearth, "ours"',
    HEARTH_MAIL_REPLY_TO: 'reply@hearth.example',
  }).mail;

const mailer = createMailer(config(`smtp://127.0.0.1:${sink.port}`));
after(() => mailer.close());

const mail = (change: Partial<Mail> = {}): Mail => ({
  to: 'mira@hearth.test',
  subject: 'Anvil | Retry loop spins (#3)',
  messageId: '<issue_88@hearth.example>',
  inReplyTo: null,
  date: new Date('2026-03-05T09:14:02.000Z'),
  text: 'Text',
  html: '<p>Html</p>',
  headers: { 'X-GitLab-Issue-IID': '3' },
  ...change,
});

test('delivers a mail unchanged', async () => {
  assert.deepEqual(await mailer.send(mail({ inReplyTo: '<issue_7@hearth.example>' })), { sent: true });
  const got = sink.mails.at(-1)!;
  assert.deepEqual([got.from, got.to], ['hearth@hearth.example', 'mira@hearth.test']);
  const header = (name: string) => getMailHeader(got, name);
  assert.equal(header('From'), '"Hearth, \\"ours\\"" <hearth@hearth.example>');
  assert.equal(header('Reply-To'), 'reply@hearth.example');
  assert.equal(header('To'), 'mira@hearth.test');
  assert.equal(header('Message-ID'), '<issue_88@hearth.example>');
  assert.equal(header('In-Reply-To'), '<issue_7@hearth.example>');
  assert.equal(header('References'), '<issue_7@hearth.example>');
  assert.equal(header('Date'), 'Thu, 05 Mar 2026 09:14:02 +0000');
  assert.equal(header('X-GitLab-Issue-IID'), '3');
  assert.equal(getMailParts(got).text.trim(), 'Text');
  assert.equal(getMailParts(got).html.trim(), '<p>Html</p>');
});

test('writes header names exactly as in the contract, including case', async () => {
  const names = ['X-GitLab-Issue-ID', 'X-GitLab-Issue-IID', 'X-GitLab-MergeRequest-IID', 'X-GitLab-NotificationReason'];
  names.push('X-GitLab-Project-Id', 'X-GitLab-Project-Path', 'List-Id', 'List-Unsubscribe-Post', 'Auto-Submitted');
  await mailer.send(mail({ inReplyTo: '<a@b.test>', headers: Object.fromEntries(names.map((name) => [name, '3'])) }));
  const lines = sink.mails.at(-1)!.raw.split('\r\n');
  for (const name of [...names, 'Message-ID', 'In-Reply-To', 'References', 'Reply-To', 'From', 'To', 'Subject', 'Date'])
    assert.ok(
      lines.some((line) => line.startsWith(`${name}: `)),
      `${name}\n${lines.join('\n')}`,
    );
});

test('header values cannot end a header or add a recipient', async () => {
  const evil = 'x\r\nBcc: eve@evil.test\r\n\r\nBuy';
  await mailer.send(mail({ subject: evil, headers: { 'X-GitLab-Project': evil } }));
  const got = sink.mails.at(-1)!;
  assert.equal(got.to, 'mira@hearth.test');
  assert.equal(getMailHeader(got, 'Bcc'), undefined);
  assert.equal(getMailParts(got).text.trim(), 'Text');
  const sent = sink.mails.length;
  await mailer.send(mail({ to: 'mira@hearth.test, eve@evil.test' }));
  for (const { to } of sink.mails.slice(sent)) assert.notEqual(to, 'eve@evil.test');
});

test('distinguishes permanent from temporary rejections', async () => {
  sink.behaviour.recipient = (address) => (address.startsWith('no') ? '550 5.1.1 No such user' : '451 Later');
  const never = await mailer.send(mail({ to: 'no@hearth.test' }));
  assert.ok(!never.sent && never.final && /550/.test(never.error), JSON.stringify(never));
  const later = await mailer.send(mail());
  assert.ok(!later.sent && !later.final && /451/.test(later.error), JSON.stringify(later));
  delete sink.behaviour.recipient;
  sink.behaviour.mail = '554 5.7.1 Looks like junk';
  const junk = await mailer.send(mail());
  assert.ok(!junk.sent && junk.final, JSON.stringify(junk));
  delete sink.behaviour.mail;
  assert.deepEqual(await mailer.send(mail()), { sent: true });
});

test('opens at most ten connections', async () => {
  await Promise.all(Array.from({ length: 40 }, () => mailer.send(mail())));
  assert.ok(sink.maxConnections() <= 10 && sink.maxConnections() > 1, String(sink.maxConnections()));
});

test('limits the time to wait for a server', async () => {
  const impatient = createMailer(config(`smtp://127.0.0.1:${sink.port}`), {
    connectMs: 250,
    idleMs: 250,
    totalMs: 250,
  });
  sink.behaviour.silent = true;
  const outcome = await impatient.send(mail());
  sink.behaviour.silent = false;
  assert.ok(!outcome.sent && !outcome.final, JSON.stringify(outcome));
  assert.deepEqual(await impatient.send(mail()), { sent: true }, 'and the next one goes its own way');
  impatient.close();
});

test('a mail that times out closes its own connection only', async () => {
  const stuck = await startSmtpSink();
  after(() => stuck.stop());
  stuck.behaviour.silent = true;
  const patience = { connectMs: 60_000, idleMs: 60_000, totalMs: 200 };
  const impatient = createMailer(config(`smtp://127.0.0.1:${stuck.port}`), patience);
  after(() => impatient.close());
  for (let times = 0; times < 3; times++) await Promise.all(Array.from({ length: 10 }, () => impatient.send(mail())));
  assert.ok(stuck.maxConnections() <= 10, String(stuck.maxConnections()));
});

test('reports a password that cannot be encoded in a URL as a failure, not as an exception', async () => {
  const url = `smtp://user:100%@127.0.0.1:${sink.port}`;
  const broken = createMailer({ ...config('smtp://127.0.0.1'), smtpUrl: url });
  for (let times = 0; times < 2; times++) {
    const outcome = await broken.send(mail());
    assert.ok(outcome.sent || !outcome.error.includes('100%'), JSON.stringify(outcome));
  }
  broken.close();
});

test('the description of a failure contains neither user nor password', async () => {
  const secretive = createMailer(config(`smtp://mail%40user:pass%20word@127.0.0.1:${sink.port}`));
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secrets = ['mail@user', 'pass word', 'pass%20word', base64('pass word')];
  // As AUTH PLAIN puts them together, wherever the password begins in it.
  const together = ['', 'x', 'xy'].map((who) => base64(`${who}\0mail@user\0pass word`));
  for (const said of ['mail@user', ...secrets, ...together]) {
    sink.behaviour.recipient = () => `550 Not ${said} of mail@user`;
    const outcome = await secretive.send(mail());
    assert.ok(!outcome.sent && outcome.error.includes('550 Not [REDACTED] of'), JSON.stringify(outcome));
    for (const secret of secrets) assert.ok(!outcome.error.includes(secret), outcome.error);
  }
  delete sink.behaviour.recipient;
  secretive.close();
});

test('stores a server response as one line of valid text', async () => {
  sink.behaviour.recipient = () => '550 No\0such\u001b[31m user';
  const outcome = await mailer.send(mail());
  delete sink.behaviour.recipient;
  assert.ok(!outcome.sent && /550 No such \[31m user$/.test(outcome.error), JSON.stringify(outcome));
});
