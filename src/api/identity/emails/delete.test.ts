import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { addAddress, generateAddress, getEmailsPath, getPrimaryAddress, listAddresses } from './fixtures.testing.ts';

const { root, user, server } = await world();

const { database } = server.services;

test('deletes a secondary address, which can be added again', async () => {
  const mira = await user();
  const email = generateAddress();
  const { body } = await mira.post('/user/emails', { email });
  const gone = await mira.delete(`/user/emails/${body.id}`);
  assert.deepEqual([gone.status, gone.text], [204, '']);
  assert.deepEqual((await mira.delete(`/user/emails/${body.id}`)).body, { message: '404 Email Not Found' });
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira)]);
  const { id } = await addAddress(mira, email, true);
  assert.notEqual(id, body.id);
  assert.equal((await root.delete(`${getEmailsPath(mira)}/${id}`)).status, 204);
  const otto = await user();
  assert.equal(
    (await root.post(getEmailsPath(otto), { email, skip_confirmation: true })).status,
    201,
    'and so may others',
  );
});

test('rejects the deletion of the primary address', async () => {
  const mira = await user();
  const [{ id }] = (await mira.get('/user/emails')).body;
  for (const refusal of [await mira.delete(`/user/emails/${id}`), await root.delete(`${getEmailsPath(mira)}/${id}`)]) {
    assert.deepEqual([refusal.status, refusal.body], [403, { message: '403 Forbidden' }]);
  }
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira)]);
});

test('clears a deleted address where the user uses it', async () => {
  const mira = await user();
  const [used, kept] = [generateAddress(), generateAddress()];
  const { id } = await addAddress(mira, used, true);
  const other = await addAddress(mira, kept, true);
  const uses = ['notification_email', 'public_email', 'commit_email'] as const;
  const usesOf = () =>
    database.reader.selectFrom('users').select(uses).where('id', '=', mira.id).executeTakeFirstOrThrow();
  // Notifications compare addresses in lower case, and so they may stand there.
  const set = { notification_email: used.toLowerCase(), public_email: used.toUpperCase(), commit_email: used };
  await database.transaction((tx) => tx.updateTable('users').set(set).where('id', '=', mira.id).execute());
  await root.delete(`${getEmailsPath(mira)}/${other.id}`);
  assert.deepEqual(await usesOf(), set, 'another one changes nothing');
  assert.equal((await mira.delete(`/user/emails/${id}`)).status, 204);
  assert.deepEqual(await usesOf(), { notification_email: null, public_email: null, commit_email: null });
  const { body } = await mira.get('/user');
  assert.deepEqual([body.commit_email, body.public_email], [getPrimaryAddress(mira), null]);
});

test('answers alike for missing addresses and those of others', async () => {
  const [mira, otto] = [await user(), await user()];
  const { id } = await addAddress(mira, generateAddress());
  for (const which of [id, 999_999, 0, -1, '99999999999999999999']) {
    for (const [caller, path] of [
      [otto, '/user/emails'],
      [root, getEmailsPath(otto)],
    ] as const) {
      const gone = await caller.delete(`${path}/${which}`);
      assert.deepEqual([gone.status, gone.body], [404, { message: '404 Email Not Found' }], `${path}/${which}`);
    }
    assert.deepEqual((await otto.get(`/user/emails/${which}`)).body, { message: '404 Email Not Found' });
  }
  assert.deepEqual((await otto.get('/user/emails/first')).body, { error: 'email_id is invalid' });
  assert.equal((await listAddresses(mira)).length, 2);
});

test('does not delete addresses of internal users', async () => {
  const ghost = (await root.get('/users', { username: 'ghost' })).body[0];
  const before = await root.get(getEmailsPath(ghost));
  assert.equal(before.status, 200);
  const added = await root.post(getEmailsPath(ghost), { email: generateAddress(), skip_confirmation: true });
  const removed = await root.delete(`${getEmailsPath(ghost)}/${before.body[0].id}`);
  for (const { status, body } of [added, removed])
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  assert.deepEqual((await root.get(getEmailsPath(ghost))).body, before.body);
});

test('deletes an address once for concurrent requests', async () => {
  const mira = await user();
  const { id } = await addAddress(mira, generateAddress());
  const answers = await Promise.all([mira.delete(`/user/emails/${id}`), root.delete(`${getEmailsPath(mira)}/${id}`)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
});
