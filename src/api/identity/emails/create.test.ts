import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { addAddress, generateAddress, getEmailsPath, getPrimaryAddress, listAddresses } from './fixtures.testing.ts';

const { root, user, name, server, clock } = await world();

const { database } = server.services;

const TAKEN = { message: { email: ['has already been taken'] } };

/** An account whose primary address waits for its confirmation. */
async function unconfirmedUser() {
  const username = name('waiting');
  const email = `${username}@hearth.test`;
  const answer = await root.post('/users', { username, name: 'Waiting', email, force_random_password: true });
  assert.equal(answer.status, 201, answer.text);
  return { id: answer.body.id as number, email };
}

test('adds an unconfirmed address for the caller', async () => {
  const mira = await user();
  const email = generateAddress();
  const { status, body } = await mira.post('/user/emails', { email, skip_confirmation: true });
  assert.equal(status, 201);
  const { id, ...rest } = body;
  assert.deepEqual(rest, { email, confirmed_at: null }, 'nobody confirms their own');
  assert.deepEqual((await mira.get(`/user/emails/${id}`)).body, body);
  assert.equal((await mira.head(`/user/emails/${id}`)).status, 200);
});

test('lets administrators add addresses, confirmed on request', async () => {
  const mira = await user();
  const [waiting, sure, form] = [generateAddress(), generateAddress(), generateAddress()];
  assert.deepEqual((await root.post(getEmailsPath(mira), { email: waiting })).body.confirmed_at, null);
  const { status, body } = await root.post(getEmailsPath(mira), { email: sure, skip_confirmation: true });
  assert.deepEqual([status, body.email, body.confirmed_at], [201, sure, clock.now().toISOString()]);
  const raw = `email=${encodeURIComponent(form)}&skip_confirmation=1`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.notEqual((await root.send('POST', getEmailsPath(mira), { raw, headers })).body.confirmed_at, null);
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira), waiting, sure, form]);
});

test('stores an address trimmed and in lower case', async () => {
  const [mira, email] = [await user(), generateAddress()];
  assert.equal((await mira.post('/user/emails', { email: ` ${email.toUpperCase()}\t` })).body.email, email);
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira), email]);
});

test('treats an unconfirmed primary address as taken, but does not list it', async () => {
  const waiting = await unconfirmedUser();
  assert.deepEqual(await listAddresses(waiting), []);
  const { id } = await database.reader
    .selectFrom('emails')
    .select('id')
    .where('user_id', '=', waiting.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual((await root.delete(`${getEmailsPath(waiting)}/${id}`)).body, { message: '404 Email Not Found' });
  assert.deepEqual((await root.post(getEmailsPath(waiting), { email: waiting.email })).body, TAKEN);
  assert.deepEqual((await (await user()).post('/user/emails', { email: waiting.email })).body, TAKEN);
});

test('rejects an address that the user already has, ignoring case, confirmed or not', async () => {
  const mira = await user();
  const [waiting, sure] = [generateAddress(), generateAddress()];
  await addAddress(mira, waiting);
  await addAddress(mira, sure, true);
  for (const email of [getPrimaryAddress(mira), waiting, sure]) {
    const refusal = await mira.post('/user/emails', { email: email.toUpperCase() });
    assert.deepEqual([refusal.status, refusal.body], [400, TAKEN]);
    assert.deepEqual((await root.post(getEmailsPath(mira), { email, skip_confirmation: true })).body, TAKEN);
  }
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira), waiting, sure]);
});

test("rejects another user's address if it is primary or confirmed", async () => {
  const [mira, otto] = [await user(), await user()];
  const [sure, waiting] = [generateAddress(), generateAddress()];
  await addAddress(mira, sure, true);
  await addAddress(mira, waiting);
  for (const email of [getPrimaryAddress(mira), sure]) {
    assert.deepEqual((await otto.post('/user/emails', { email: email.toUpperCase() })).body, TAKEN);
    assert.deepEqual((await root.post(getEmailsPath(otto), { email, skip_confirmation: true })).body, TAKEN);
  }
  await addAddress(otto, waiting, true);
  assert.deepEqual(await listAddresses(otto), [getPrimaryAddress(otto), waiting]);
  assert.deepEqual(
    await listAddresses(mira),
    [getPrimaryAddress(mira), sure, waiting],
    'where it was it goes on waiting',
  );
});

const long = (length: number) => `${'a'.repeat(length)}@mail.test`;

const refusals: readonly (readonly [what: string, params: Readonly<Record<string, unknown>>, body: unknown])[] = [
  ['no address', {}, { error: 'email is missing' }],
  ['a list', { email: ['a@b.test'] }, { error: 'email is invalid' }],
  ['an empty one', { email: '' }, { message: { email: ["can't be blank"] } }],
  ['blanks', { email: '  ' }, { message: { email: ["can't be blank"] } }],
  ['null', { email: null }, { message: { email: ["can't be blank"] } }],
  ['a name', { email: 'mira' }, { message: { email: ['is invalid'] } }],
  ['two @', { email: 'a@b@c' }, { message: { email: ['is invalid'] } }],
  ['a blank in it', { email: 'mi ra@mail.test' }, { message: { email: ['is invalid'] } }],
  ['an encoded word', { email: '=?utf-8?q?mira?=@mail.test' }, { message: { email: ['is invalid'] } }],
  ['a line of a header', { email: 'mira@mail.test\r\nBcc: otto@mail.test' }, { message: { email: ['is invalid'] } }],
  ['one that is too long', { email: long(246) }, { message: { email: ['is invalid'] } }],
  ['one that is endless', { email: long(100_000) }, { message: { email: ['is invalid'] } }],
];

for (const [what, params, body] of refusals) {
  test(`rejects ${what} and adds nothing`, async () => {
    const mira = await user();
    for (const refusal of [await mira.post('/user/emails', params), await root.post(getEmailsPath(mira), params)]) {
      assert.deepEqual([refusal.status, refusal.body], [400, body]);
    }
    assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira)]);
  });
}

test('reports missing and invalid parameters together to administrators', async () => {
  const { body } = await root.post(getEmailsPath(await user()), { skip_confirmation: 'perhaps' });
  assert.deepEqual(body, { error: 'email is missing, skip_confirmation is invalid' });
});

test('accepts an address of the maximum length', async () => {
  const mira = await user();
  const email = `${'\u{1f525}'.repeat(100)}${'é'.repeat(45)}@mail.test`;
  assert.equal(email.length, 255);
  assert.equal((await mira.post('/user/emails', { email })).body.email, email);
});

test('adds an address once for concurrent requests of a user', async () => {
  const mira = await user();
  const email = generateAddress();
  const calls = Array.from({ length: 6 }, (_, index) =>
    mira.post('/user/emails', { email: index % 2 === 0 ? email : email.toUpperCase() }),
  );
  const answers = await Promise.all(calls);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400, 400, 400]);
  for (const { status, body } of answers) if (status === 400) assert.deepEqual(body, TAKEN);
  assert.equal((await listAddresses(mira)).length, 2);
});

test('gives an address to one of two users who add it concurrently', async () => {
  for (let round = 0; round < 3; round++) {
    const [mira, otto] = [await user(), await user()];
    const params = { email: generateAddress(), skip_confirmation: true };
    const answers = await Promise.all([root.post(getEmailsPath(mira), params), root.post(getEmailsPath(otto), params)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
    assert.deepEqual(answers.find(({ status }) => status === 400)?.body, TAKEN);
    const holders = [...(await listAddresses(mira)), ...(await listAddresses(otto))];
    assert.equal(holders.filter((email) => email === params.email).length, 1);
  }
});
