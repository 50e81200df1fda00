import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '../../../../test/world.ts';

const { root, anonymous, user, tokenOf, name, server, clock } = await world();
const { database } = server.rooms;

const address = () => `${name('address')}@mail.test`;
const primaryOf = ({ username }: Caller) => `${username}@hearth.test`;
const pathOf = ({ id }: { readonly id: number }) => `/users/${id}/emails`;
const TAKEN = { message: { email: ['has already been taken'] } };

/** What the user has, as an administrator sees it. */
async function addressesOf(of: { readonly id: number }): Promise<string[]> {
  return (await root.get(pathOf(of))).body.map(({ email }: { email: string }) => email);
}

async function added(to: Caller, email: string, confirmed = false): Promise<{ id: number }> {
  const answer = await root.post(pathOf(to), { email, skip_confirmation: confirmed });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** An account whose primary address waits for its confirmation. */
async function unconfirmedUser() {
  const username = name('waiting');
  const email = `${username}@hearth.test`;
  const answer = await root.post('/users', { username, name: 'Waiting', email, force_random_password: true });
  assert.equal(answer.status, 201, answer.text);
  return { id: answer.body.id as number, email };
}

test('a new address of the caller waits for its confirmation', async () => {
  const mira = await user();
  const email = address();
  const { status, body } = await mira.post('/user/emails', { email, skip_confirmation: true });
  assert.equal(status, 201);
  const { id, ...rest } = body;
  assert.deepEqual(rest, { email, confirmed_at: null }, 'nobody confirms their own');
  assert.deepEqual((await mira.get(`/user/emails/${id}`)).body, body);
  assert.equal((await mira.head(`/user/emails/${id}`)).status, 200);
});

test('an administrator adds addresses, confirmed at once if asked', async () => {
  const mira = await user();
  const [waiting, sure, form] = [address(), address(), address()];
  assert.deepEqual((await root.post(pathOf(mira), { email: waiting })).body.confirmed_at, null);
  const { status, body } = await root.post(pathOf(mira), { email: sure, skip_confirmation: true });
  assert.deepEqual([status, body.email, body.confirmed_at], [201, sure, clock.now().toISOString()]);
  const raw = `email=${encodeURIComponent(form)}&skip_confirmation=1`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.notEqual((await root.send('POST', pathOf(mira), { raw, headers })).body.confirmed_at, null);
  assert.deepEqual(await addressesOf(mira), [primaryOf(mira), waiting, sure, form]);
});

test('the list has the confirmed primary address and the others, the oldest first, by pages', async () => {
  const [mira, other] = [await user(), await user()];
  const [first, second] = [address(), address()];
  await mira.post('/user/emails', { email: first });
  await mira.post('/user/emails', { email: second });
  await other.post('/user/emails', { email: address() });
  const own = await mira.get('/user/emails');
  assert.deepEqual(own.body.map(Object.keys), Array(3).fill(['id', 'email', 'confirmed_at']));
  assert.deepEqual(await addressesOf(mira), [primaryOf(mira), first, second]);
  assert.deepEqual((await root.get(pathOf(mira))).body, own.body);
  for (const [caller, path] of [
    [mira, '/user/emails'],
    [root, pathOf(mira)],
  ] as const) {
    const { body, headers } = await caller.get(path, { per_page: 2, page: 2 });
    assert.deepEqual(body, own.body.slice(2));
    assert.deepEqual([headers['x-total'], headers['x-total-pages'], headers['x-prev-page']], ['3', '2', '1']);
    assert.match(String(headers.link), /rel="prev".*rel="first".*rel="last"/);
    assert.deepEqual((await caller.get(path, { per_page: 0 })).body, { error: 'per_page has a value not allowed' });
  }
});

test('a primary address that waits is not there, and yet taken', async () => {
  const waiting = await unconfirmedUser();
  assert.deepEqual(await addressesOf(waiting), []);
  const { id } = await database.reader
    .selectFrom('emails')
    .select('id')
    .where('user_id', '=', waiting.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual((await root.delete(`${pathOf(waiting)}/${id}`)).body, { message: '404 Email Not Found' });
  assert.deepEqual((await root.post(pathOf(waiting), { email: waiting.email })).body, TAKEN);
  assert.deepEqual((await (await user()).post('/user/emails', { email: waiting.email })).body, TAKEN);
});

test('of oneself an address is taken in any case, confirmed or not', async () => {
  const mira = await user();
  const [waiting, sure] = [address(), address()];
  await added(mira, waiting);
  await added(mira, sure, true);
  for (const email of [primaryOf(mira), waiting, sure]) {
    const refusal = await mira.post('/user/emails', { email: email.toUpperCase() });
    assert.deepEqual([refusal.status, refusal.body], [400, TAKEN]);
    assert.deepEqual((await root.post(pathOf(mira), { email, skip_confirmation: true })).body, TAKEN);
  }
  assert.deepEqual(await addressesOf(mira), [primaryOf(mira), waiting, sure]);
});

test('of others an address is taken once it is primary or confirmed', async () => {
  const [mira, otto] = [await user(), await user()];
  const [sure, waiting] = [address(), address()];
  await added(mira, sure, true);
  await added(mira, waiting);
  for (const email of [primaryOf(mira), sure]) {
    assert.deepEqual((await otto.post('/user/emails', { email: email.toUpperCase() })).body, TAKEN);
    assert.deepEqual((await root.post(pathOf(otto), { email, skip_confirmation: true })).body, TAKEN);
  }
  await added(otto, waiting, true);
  assert.deepEqual(await addressesOf(otto), [primaryOf(otto), waiting]);
  assert.deepEqual(await addressesOf(mira), [primaryOf(mira), sure, waiting], 'where it was it goes on waiting');
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
  ['blanks around it', { email: ' mira@mail.test ' }, { message: { email: ['is invalid'] } }],
  ['a line of a header', { email: 'mira@mail.test\r\nBcc: otto@mail.test' }, { message: { email: ['is invalid'] } }],
  ['one that is too long', { email: long(246) }, { message: { email: ['is invalid'] } }],
  ['one that is endless', { email: long(100_000) }, { message: { email: ['is invalid'] } }],
];

for (const [what, params, body] of refusals) {
  test(`${what} is refused, and nothing is added`, async () => {
    const mira = await user();
    for (const refusal of [await mira.post('/user/emails', params), await root.post(pathOf(mira), params)]) {
      assert.deepEqual([refusal.status, refusal.body], [400, body]);
    }
    assert.deepEqual(await addressesOf(mira), [primaryOf(mira)]);
  });
}

test('what is missing and what is wrong for an administrator is told together', async () => {
  const { body } = await root.post(pathOf(await user()), { skip_confirmation: 'perhaps' });
  assert.deepEqual(body, { error: 'email is missing, skip_confirmation is invalid' });
});

test('the longest address is taken whole', async () => {
  const mira = await user();
  const email = `${'\u{1f525}'.repeat(100)}${'é'.repeat(45)}@mail.test`;
  assert.equal(email.length, 255);
  assert.equal((await mira.post('/user/emails', { email })).body.email, email);
});

test('a secondary address goes, and may be added again', async () => {
  const mira = await user();
  const email = address();
  const { body } = await mira.post('/user/emails', { email });
  const gone = await mira.delete(`/user/emails/${body.id}`);
  assert.deepEqual([gone.status, gone.text], [204, '']);
  assert.deepEqual((await mira.delete(`/user/emails/${body.id}`)).body, { message: '404 Email Not Found' });
  assert.deepEqual(await addressesOf(mira), [primaryOf(mira)]);
  const { id } = await added(mira, email, true);
  assert.notEqual(id, body.id);
  assert.equal((await root.delete(`${pathOf(mira)}/${id}`)).status, 204);
  const otto = await user();
  assert.equal((await root.post(pathOf(otto), { email, skip_confirmation: true })).status, 201, 'and so may others');
});

test('the primary address stays', async () => {
  const mira = await user();
  const [{ id }] = (await mira.get('/user/emails')).body;
  for (const refusal of [await mira.delete(`/user/emails/${id}`), await root.delete(`${pathOf(mira)}/${id}`)]) {
    assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden' }]);
  }
  assert.deepEqual(await addressesOf(mira), [primaryOf(mira)]);
});

test('an address that goes is no longer in use', async () => {
  const mira = await user();
  const [used, kept] = [address(), address()];
  const { id } = await added(mira, used, true);
  const other = await added(mira, kept, true);
  const uses = ['notification_email', 'public_email', 'commit_email'] as const;
  const usesOf = () =>
    database.reader.selectFrom('users').select(uses).where('id', '=', mira.id).executeTakeFirstOrThrow();
  // Notifications compare addresses in lower case, and so they may stand there.
  const set = { notification_email: used.toLowerCase(), public_email: used.toUpperCase(), commit_email: used };
  await database.transaction((tx) => tx.updateTable('users').set(set).where('id', '=', mira.id).execute());
  await root.delete(`${pathOf(mira)}/${other.id}`);
  assert.deepEqual(await usesOf(), set, 'another one changes nothing');
  assert.equal((await mira.delete(`/user/emails/${id}`)).status, 204);
  assert.deepEqual(await usesOf(), { notification_email: null, public_email: null, commit_email: null });
  const { body } = await mira.get('/user');
  assert.deepEqual([body.commit_email, body.public_email], [primaryOf(mira), null]);
});

test('what is not there and what is not one’s own look the same', async () => {
  const [mira, otto] = [await user(), await user()];
  const { id } = await added(mira, address());
  for (const which of [id, 999_999, 0, -1, '99999999999999999999']) {
    for (const [caller, path] of [
      [otto, '/user/emails'],
      [root, pathOf(otto)],
    ] as const) {
      const gone = await caller.delete(`${path}/${which}`);
      assert.deepEqual([gone.status, gone.body], [404, { message: '404 Email Not Found' }], `${path}/${which}`);
    }
    assert.deepEqual((await otto.get(`/user/emails/${which}`)).body, { message: '404 Email Not Found' });
  }
  assert.deepEqual((await otto.get('/user/emails/first')).body, { error: 'email_id is invalid' });
  assert.equal((await addressesOf(mira)).length, 2);
});

test('users who are not there have no addresses', async () => {
  for (const which of ['999999', '99999999999999999999']) {
    const path = `/users/${which}/emails`;
    const answers = [await root.get(path), await root.post(path, { email: address() }), await root.delete(`${path}/1`)];
    for (const { status, body } of answers) {
      assert.deepEqual([status, body], [404, { message: '404 User Not Found' }]);
    }
  }
  assert.deepEqual((await root.get('/users/root/emails')).body, { error: '404 Not Found' });
});

test('Hearth’s own users keep the addresses that they have', async () => {
  const ghost = (await root.get('/users', { username: 'ghost' })).body[0];
  const before = await root.get(pathOf(ghost));
  assert.equal(before.status, 200);
  const added = await root.post(pathOf(ghost), { email: address(), skip_confirmation: true });
  const removed = await root.delete(`${pathOf(ghost)}/${before.body[0].id}`);
  for (const { status, body } of [added, removed])
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  assert.deepEqual((await root.get(pathOf(ghost))).body, before.body);
});

test('nobody has no addresses, and others’ are the administrators’', async () => {
  const mira = await user();
  const { id } = await added(mira, address());
  for (const path of ['/user/emails', pathOf(mira), '/users/999999/emails']) {
    for (const refusal of [
      await anonymous.get(path),
      await anonymous.post(path),
      await anonymous.delete(`${path}/${id}`),
    ]) {
      assert.deepEqual([refusal.status, refusal.body], [401, { message: '401 Unauthorized' }]);
    }
  }
  assert.equal((await anonymous.get(`/user/emails/${id}`)).status, 401);
  for (const path of [pathOf(mira), '/users/999999/emails']) {
    for (const refusal of [await mira.get(path), await mira.post(path), await mira.delete(`${path}/${id}`)]) {
      assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden' }], 'before parameters');
    }
  }
  assert.equal((await addressesOf(mira)).length, 2);
});

test('read_user reads, read_api reads, and neither writes', async () => {
  const mira = await user();
  const { id } = await added(mira, address());
  for (const scope of ['read_user', 'read_api']) {
    const [reader, admin] = [await tokenOf(mira, [scope]), await tokenOf(root, [scope])];
    assert.equal((await reader.get('/user/emails')).status, 200);
    assert.equal((await reader.get(`/user/emails/${id}`)).status, 200);
    assert.equal((await admin.get(pathOf(mira))).status, 200);
    for (const refusal of [
      await reader.post('/user/emails', { email: address() }),
      await reader.delete(`/user/emails/${id}`),
      await admin.post(pathOf(mira), { email: address() }),
      await admin.delete(`${pathOf(mira)}/${id}`),
    ]) {
      assert.deepEqual([refusal.status, refusal.body.error], [403, 'insufficient_scope']);
    }
  }
  const other = await (await tokenOf(mira, ['read_repository'])).get('/user/emails');
  assert.deepEqual([other.status, other.body.scope], [403, 'read_user api read_api']);
  assert.equal((await addressesOf(mira)).length, 2);
});

test('of one address that a user adds many times at once there is one', async () => {
  const mira = await user();
  const email = address();
  const calls = Array.from({ length: 6 }, (_, index) =>
    mira.post('/user/emails', { email: index % 2 === 0 ? email : email.toUpperCase() }),
  );
  const answers = await Promise.all(calls);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400, 400, 400]);
  for (const { status, body } of answers) if (status === 400) assert.deepEqual(body, TAKEN);
  assert.equal((await addressesOf(mira)).length, 2);
});

test('of two users who are to have one address at once, one has it', async () => {
  for (let round = 0; round < 3; round++) {
    const [mira, otto] = [await user(), await user()];
    const params = { email: address(), skip_confirmation: true };
    const answers = await Promise.all([root.post(pathOf(mira), params), root.post(pathOf(otto), params)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
    assert.deepEqual(answers.find(({ status }) => status === 400)?.body, TAKEN);
    const holders = [...(await addressesOf(mira)), ...(await addressesOf(otto))];
    assert.equal(holders.filter((email) => email === params.email).length, 1);
  }
});

test('two removals at once are one', async () => {
  const mira = await user();
  const { id } = await added(mira, address());
  const answers = await Promise.all([mira.delete(`/user/emails/${id}`), root.delete(`${pathOf(mira)}/${id}`)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
});
