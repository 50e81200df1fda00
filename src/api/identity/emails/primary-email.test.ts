import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { addAddress, generateAddress, getPrimaryAddress, listAddresses } from './fixtures.testing.ts';

// How the secondary addresses of users and the primary one, which belongs to the account, get along.

const { root, user, name, server } = await world();
const { database } = server.services;

const CONFLICT = { message: 'Email has already been taken' };

function account(email: string) {
  const username = name('account');
  return { username, name: 'Account', email, force_random_password: true };
}

test('rejects an account with a confirmed secondary address of another user, ignoring case', async () => {
  const [mira, otto] = [await user(), await user()];
  const email = generateAddress();
  await addAddress(mira, email, true);
  for (const taken of [email, email.toUpperCase()]) {
    const made = await root.post('/users', account(taken));
    assert.deepEqual([made.status, made.body], [409, CONFLICT]);
    for (const skip_reconfirmation of [true, false]) {
      const changed = await root.put(`/users/${otto.id}`, { email: taken, skip_reconfirmation });
      assert.deepEqual([changed.status, changed.body], [409, CONFLICT]);
    }
  }
  assert.deepEqual(await listAddresses(otto), [getPrimaryAddress(otto)]);
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira), email]);
});

test('accepts an account with an address that is unconfirmed with another user', async () => {
  const [mira, otto] = [await user(), await user()];
  const [first, second] = [generateAddress(), generateAddress()];
  await addAddress(mira, first);
  await addAddress(mira, second);
  const made = await root.post('/users', account(first));
  assert.equal(made.status, 201);
  assert.deepEqual(await listAddresses(made.body), [], 'it waits there too');
  const changed = await root.put(`/users/${otto.id}`, { email: second, skip_reconfirmation: true });
  assert.deepEqual([changed.status, changed.body.email], [200, second]);
  assert.deepEqual(await listAddresses(otto), [second]);
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira), first, second]);
});

test('makes a secondary address primary, confirmed or not', async () => {
  for (const confirmed of [true, false]) {
    const mira = await user();
    const email = generateAddress();
    await addAddress(mira, email, confirmed);
    const params = { email: email.toUpperCase(), skip_reconfirmation: true };
    const changed = await root.put(`/users/${mira.id}`, params);
    assert.deepEqual([changed.status, changed.body.email], [200, email]);
    const [only, ...others] = (await mira.get('/user/emails')).body;
    assert.deepEqual([only.email, others], [email, []]);
    assert.notEqual(only.confirmed_at, null);
    assert.equal((await mira.delete(`/user/emails/${only.id}`)).status, 403);
  }
});

test('frees a replaced primary address and clears its uses', async () => {
  const mira = await user();
  const [before, after] = [getPrimaryAddress(mira), generateAddress()];
  const set = { notification_email: before, public_email: before, commit_email: before };
  await database.transaction((tx) => tx.updateTable('users').set(set).where('id', '=', mira.id).execute());
  const respelled = { email: before.toUpperCase(), skip_reconfirmation: true };
  assert.equal((await root.put(`/users/${mira.id}`, respelled)).body.commit_email, before, 'it is the same address');
  await root.put(`/users/${mira.id}`, { email: after, skip_reconfirmation: true });
  const uses = ['notification_email', 'public_email', 'commit_email'] as const;
  const left = database.reader.selectFrom('users').select(uses).where('id', '=', mira.id);
  const nothing = { notification_email: null, public_email: null, commit_email: null };
  assert.deepEqual(await left.executeTakeFirstOrThrow(), nothing);
  const otto = await user();
  await addAddress(otto, before, true);
  assert.deepEqual(
    [await listAddresses(mira), await listAddresses(otto)],
    [[after], [getPrimaryAddress(otto), before]],
  );
});

test('does not list a changed address before its confirmation', async () => {
  const mira = await user();
  await root.put(`/users/${mira.id}`, { email: generateAddress() });
  assert.deepEqual(await listAddresses(mira), [getPrimaryAddress(mira)]);
});

test('creates either the account or the secondary address if both are requested concurrently', async () => {
  for (let round = 0; round < 3; round++) {
    const mira = await user();
    const email = generateAddress();
    const [made, second] = await Promise.all([
      root.post('/users', account(email)),
      root.post(`/users/${mira.id}/emails`, { email, skip_confirmation: true }),
    ]);
    assert.ok([`201,400`, `409,201`].includes(`${made.status},${second.status}`), `${made.status},${second.status}`);
    const found = (await root.get('/users', { search: email })).body;
    assert.equal(found.length, 1);
  }
});

test('finds a user once by any confirmed address, for administrators only', async () => {
  const [mira, stranger] = [await user(), await user()];
  const [sure, waiting] = [generateAddress(), generateAddress()];
  await addAddress(mira, sure, true);
  await addAddress(mira, waiting);
  const found = async (by: Caller, search: string) =>
    (await by.get('/users', { search })).body.map(({ id }: { id: number }) => id);
  for (const search of [getPrimaryAddress(mira), sure, sure.toUpperCase()]) {
    assert.deepEqual(await found(root, search), [mira.id], search);
    assert.deepEqual(await found(stranger, search), [], search);
  }
  assert.deepEqual(await found(root, waiting), [], 'it may be anybody’s');
  assert.deepEqual(await found(root, mira.username), [mira.id]);
});
