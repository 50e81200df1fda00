import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Transaction } from '#database/database.ts';
import { isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { createUser } from '../users/users.ts';
import { checkPassword, type LockedAccount } from './password-sign-in.ts';

const password = 'violet-anvil-harbour-42';

async function surroundings() {
  const clock = testClock();
  const database = await testDatabase({ clock });
  const passwordHash = await hashPassword(password);
  const user = await database.transaction((tx) =>
    createUser(tx, { username: 'Mira', name: 'Mira', email: 'mira@x.test', passwordHash, confirmed: true }),
  );
  if (isFailure(user)) throw new Error(user.code);
  const logged: { fields: object; message: string }[] = [];
  const locks: LockedAccount[] = [];
  const services = {
    database,
    log: { warn: (fields: object | string, message = '') => void logged.push({ fields: Object(fields), message }) },
    recordLock: async (_tx: Transaction, account: LockedAccount) => void locks.push(account),
  };
  return {
    clock,
    database,
    services,
    locks,
    logged,
    check: (login: string, given = password) => checkPassword(services, { login, password: given }),
    set: (change: object) =>
      database.transaction((tx) => tx.updateTable('users').set(change).where('id', '=', user.id).execute()),
    row: () =>
      database.reader
        .selectFrom('users')
        .select(['failed_attempts', 'locked_until', 'updated_at'])
        .where('id', '=', user.id)
        .executeTakeFirstOrThrow(),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

test('returns the user without the hash', async () => {
  await using it = await surroundings();
  const checked = await it.check('mIRa@X.test');
  assert.ok(!isFailure(checked));
  assert.equal(checked.user.username, 'Mira');
  assert.ok(!JSON.stringify(checked).includes('scrypt'));
});

test('accepts deactivated users and users with an expired password', async () => {
  await using it = await surroundings();
  await it.set({ state: 'deactivated', password_expires_at: it.clock.now().toISOString() });
  const checked = await it.check('mira');
  assert.ok(!isFailure(checked));
  assert.equal(checked.user.state, 'deactivated');
  assert.notEqual(checked.user.password_expires_at, null);
});

test('applies changes of the user made during the password check', async () => {
  const changes = [
    { locked_until: '2026-01-02T03:14:05.000Z' },
    { state: 'blocked' },
    { password_hash: null },
    { password_hash: '$scrypt$ln=14,r=8,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAA' },
  ] as const;
  for (const change of changes) {
    await using it = await surroundings();
    // The password is right; what is decided is decided now.
    const transaction: Database['transaction'] = async (...given) => {
      await it.set(change);
      return it.database.transaction(...given);
    };
    const database = { ...it.database, transaction };
    const checked = await checkPassword({ ...it.services, database }, { login: 'mira', password });
    assert.ok(isFailure(checked), JSON.stringify(change));
  }
});

test('counts failures up to ten, then none until the lock ends', async () => {
  await using it = await surroundings();
  for (let failure = 1; failure <= 9; failure++) await it.check('mira', 'wrong');
  assert.deepEqual({ ...(await it.row()), updated_at: '' }, { failed_attempts: 9, locked_until: null, updated_at: '' });
  await it.check('mira', 'wrong');
  const locked = await it.row();
  assert.equal(locked.failed_attempts, 10);
  assert.equal(locked.locked_until, '2026-01-02T03:14:05.000Z');
  assert.equal(it.logged.length, 1);
  it.clock.advance(300);
  await it.check('mira', 'wrong');
  assert.ok(isFailure(await it.check('mira')));
  assert.deepEqual(await it.row(), locked, 'an attempt makes the lock no longer');
  it.clock.advance(300);
  await it.check('mira', 'wrong');
  const { failed_attempts, locked_until, updated_at } = await it.row();
  assert.deepEqual([failed_attempts, locked_until], [1, null]);
  assert.equal(updated_at, '2026-01-02T03:04:05.000Z', 'the user’s record is not changed by it');
});

test('logs once who is locked and for how long, without the password', async () => {
  await using it = await surroundings();
  for (let failure = 1; failure <= 12; failure++) await it.check('mira', 'a-wrong-password');
  const { id } = it.locks[0]!;
  assert.equal(it.locks.length, 1);
  assert.deepEqual(it.logged, [
    {
      fields: { user_id: id, username: 'Mira', seconds: 600 },
      message: 'Locked an account after 10 wrong passwords; hearth user unlock ends the lock',
    },
  ]);
});

test('a user without a password is not locked', async () => {
  await using it = await surroundings();
  await it.set({ password_hash: null });
  for (let failure = 1; failure <= 10; failure++) await it.check('mira', 'wrong');
  assert.equal((await it.row()).failed_attempts, 0);
});
