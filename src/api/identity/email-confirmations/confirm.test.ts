import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { browser } from '#test/support/browser.ts';
import type { Caller } from '#test/support/caller.ts';
import { getMailHeader, getMailParts, startSmtpSink } from '#test/support/smtp-sink.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Links in mails that confirm e-mail addresses (contract/activity.md Part 4).

const sink = await startSmtpSink();
const here = await world({
  env: {
    HEARTH_MAIL_DELIVERY: 'smtp',
    HEARTH_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    HEARTH_MAIL_FROM: 'hearth@hearth.example',
    HEARTH_EXTERNAL_URL: 'http://hearth.example/base',
  },
});
const { root, user, clock, runJobs, name, server } = here;
after(() => sink.stop());

const newAddress = () => `${name('address')}@mail.test`;

/** Returns the tokens of the links in all mails to this address. */
const tokensOf = (address: string): string[] =>
  sink.mails
    .filter(({ to }) => to === address)
    .flatMap(
      (mail) => /users\/confirmation\?confirmation_token=([0-9a-f]{64})\b/.exec(getMailParts(mail).text)?.[1] ?? [],
    );

async function follow(token: string) {
  const visit = browser(here);
  const page = await visit.get(`//users/confirmation?confirmation_token=${token}`);
  return { page, answer: await visit.submit('//users/confirmation', { confirmation_token: token }) };
}

/** Adds a secondary address and returns the token of its link. */
async function addAddress(caller: Caller, address = newAddress()) {
  const { body } = await expectSuccess(caller.post('/user/emails', { email: address }));
  await runJobs();
  return { id: body.id as number, address, token: tokensOf(address).at(-1)! };
}

const confirmedAt = async (caller: Caller, id: number) => (await caller.get(`/user/emails/${id}`)).body.confirmed_at;

test('a user confirms a secondary address by the link of a mail', async () => {
  const mira = await user();
  const { id, address, token } = await addAddress(mira);
  const mail = sink.mails.find(({ to }) => to === address)!;
  assert.equal(getMailHeader(mail, 'Subject'), 'Confirm your address for hearth.example');
  assert.match(getMailParts(mail).text, new RegExp(`the account ${mira.username} on http://hearth.example/base`));
  const stored = JSON.stringify(
    await server.services.database.reader.selectFrom('email_confirmations').selectAll().execute(),
  );
  assert.ok(!stored.includes(token));
  const visit = browser(here);
  const page = await visit.get(`//users/confirmation?confirmation_token=${token}`);
  assert.match(page.text, new RegExp(`Confirm that ${address} is your`));
  assert.equal(await confirmedAt(mira, id), null, 'the link alone changes nothing');
  const answer = await visit.submit('//users/confirmation', { confirmation_token: token });
  assert.deepEqual([answer.status, /is confirmed/.test(answer.text)], [200, true]);
  assert.equal(await confirmedAt(mira, id), clock.now().toISOString());
});

test('whoever has the address gets no text that the user of the account has chosen', async () => {
  const mira = await user();
  await expectSuccess(root.put(`/users/${mira.id}`, { name: 'You have won! Visit https://prizes.test' }));
  const { address } = await addAddress(mira);
  const mail = sink.mails.find(({ to }) => to === address)!;
  const { text, html } = getMailParts(mail);
  assert.doesNotMatch(text + html, /prizes/);
  assert.match(text, new RegExp(`^Hello ${mira.username},`));
});

test('a link works once, for three days, until the address is removed or another link is sent', async () => {
  const mira = await user();
  const [used, expired, removed] = [await addAddress(mira), await addAddress(mira), await addAddress(mira)];
  await follow(used.token);
  await mira.delete(`/user/emails/${removed.id}`);
  const again = await addAddress(mira, removed.address);
  assert.notEqual(again.token, removed.token);
  for (const token of [used.token, removed.token, '0'.repeat(64), '', "'"]) {
    const { page, answer } = await follow(token);
    assert.deepEqual([page.status, answer.status], [422, 422]);
    assert.match(answer.text, /This link is not valid any more/);
  }
  clock.advance(3 * 24 * 3600);
  assert.equal((await follow(expired.token)).answer.status, 422);
  assert.equal(await confirmedAt(mira, expired.id), null);
});

test('of two users with the same address, the first who confirms it gets it', async () => {
  const [mira, tom] = [await user(), await user()];
  const first = await addAddress(mira);
  const second = await addAddress(tom, first.address);
  assert.equal((await follow(second.token)).answer.status, 200);
  assert.equal((await follow(first.token)).answer.status, 422);
  assert.equal(await confirmedAt(mira, first.id), null);
});

test('a new primary address replaces the old one when it is confirmed', async () => {
  const mira = await user();
  const address = newAddress();
  await expectSuccess(root.put(`/users/${mira.id}`, { email: address }));
  await runJobs();
  const current = async () => (await mira.get('/user')).body.email;
  assert.equal(await current(), `${mira.username}@hearth.test`);
  const [token] = tokensOf(address);
  assert.equal((await follow(token!)).answer.status, 200);
  assert.equal(await current(), address);
  const [event] = (await root.get('/audit_events', { entity_type: 'User', entity_id: mira.id })).body;
  assert.equal(event.event_name, 'user_email_address_updated');
});

test('a new user confirms the primary address, by this link or by the one that sets the password', async () => {
  const create = async (params: object) => {
    const email = newAddress();
    const username = name('person');
    const { body } = await expectSuccess(root.post('/users', { email, username, name: username, ...params }));
    await runJobs();
    return { id: body.id as number, email };
  };
  const confirmed = async ({ id }: { id: number }) => (await root.get(`/users/${id}`)).body.confirmed_at !== null;
  const plain = await create({ force_random_password: true });
  assert.equal(await confirmed(plain), false);
  await follow(tokensOf(plain.email)[0]!);
  assert.equal(await confirmed(plain), true);
  assert.deepEqual(tokensOf((await create({ force_random_password: true, skip_confirmation: true })).email), []);
  const invited = await create({ reset_password: true });
  assert.deepEqual(tokensOf(invited.email), []);
  const mail = sink.mails.find(({ to }) => to === invited.email)!;
  const [, reset_password_token] = /reset_password_token=([0-9a-f]{64})/.exec(getMailParts(mail).text)!;
  const visit = browser(here);
  await visit.get(`//users/password/edit?reset_password_token=${reset_password_token}`);
  const fields = { 'user[reset_password_token]': reset_password_token!, 'user[password]': 'amber-lantern-quarry-19' };
  assert.equal((await visit.submit('//users/password', { _method: 'put', ...fields })).status, 200);
  assert.equal(await confirmed(invited), true);
});

test('sends at most three mails to an address in an hour', async () => {
  const [mira, address] = [await user(), newAddress()];
  for (let count = 0; count < 4; count++) {
    const { id } = await addAddress(mira, address);
    await mira.delete(`/user/emails/${id}`);
  }
  assert.equal(tokensOf(address).length, 3);
  clock.advance(3_600);
  await addAddress(mira, address);
  assert.equal(tokensOf(address).length, 4);
});
