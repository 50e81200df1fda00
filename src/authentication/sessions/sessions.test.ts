import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import { isFailure } from '#runtime/failure.ts';
import { updateSettings } from '#settings/settings.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { createUser } from '../users/users.ts';
import {
  cleanUpSessionsJob,
  createSession,
  createSessionSecret,
  deleteIdleSessions,
  deleteSession,
  deleteSessionsOfUser,
  deriveCsrfToken,
  findSession,
  isSessionSecret,
} from './sessions.ts';

const DAY = 86_400;

async function surroundings() {
  const clock = testClock();
  const database = await testDatabase({ clock });
  const user = await database.transaction((tx) =>
    createUser(tx, { username: 'mira', name: 'Mira', email: 'mira@x.test', passwordHash: null, confirmed: true }),
  );
  if (isFailure(user)) throw new Error(user.code);
  return {
    clock,
    database,
    user,
    async session(userId: number | null) {
      const secret = createSessionSecret();
      await database.transaction((tx) => createSession(tx, { secret, userId }));
      return secret;
    },
    find: (secret: string) => findSession(database.reader, secret, clock.now()),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

test('secrets have the right format, and each has a CSRF token that does not reveal it', () => {
  const [one, other] = [createSessionSecret(), createSessionSecret()];
  assert.ok(isSessionSecret(one));
  assert.notEqual(one, other);
  assert.notEqual(deriveCsrfToken(one), deriveCsrfToken(other));
  assert.equal(deriveCsrfToken(one), deriveCsrfToken(one));
  for (const text of ['', one.slice(1), `${one}a`, `${one.slice(1)}=`]) assert.ok(!isSessionSecret(text), text);
});

test('the database contains neither secret nor CSRF token', async () => {
  await using it = await surroundings();
  const secret = await it.session(it.user.id);
  const stored = JSON.stringify(await it.database.reader.selectFrom('sessions').selectAll().execute());
  assert.ok(!stored.includes(secret));
  assert.ok(!stored.includes(deriveCsrfToken(secret)));
});

test('deletes one session, or all sessions of a user', async () => {
  await using it = await surroundings();
  const [one, two, three, nobodys] = [
    await it.session(it.user.id),
    await it.session(it.user.id),
    await it.session(it.user.id),
    await it.session(null),
  ];
  const { digest } = (await it.find(one)) ?? {};
  await it.database.transaction((tx) => deleteSession(tx, digest ?? ''));
  assert.equal(await it.find(one), null);
  assert.equal((await it.find(two))?.user?.id, it.user.id);
  await it.database.transaction((tx) => deleteSessionsOfUser(tx, it.user.id));
  assert.deepEqual([await it.find(two), await it.find(three)], [null, null]);
  assert.equal((await it.find(nobodys))?.user, null);
});

test('anonymous sessions expire after a day, those of users after the time of the setting', async () => {
  await using it = await surroundings();
  const [nobodys, miras] = [await it.session(null), await it.session(it.user.id)];
  it.clock.advance(DAY - 1);
  assert.notEqual(await it.find(nobodys), null);
  it.clock.advance(1);
  assert.equal(await it.find(nobodys), null);
  it.clock.advance(6 * DAY - 1);
  assert.notEqual(await it.find(miras), null);
  it.clock.advance(1);
  assert.equal(await it.find(miras), null);
});

test('a session with a short lifetime is updated more often', async () => {
  await using it = await surroundings();
  const secret = await it.session(it.user.id);
  await it.database.transaction((tx) => updateSettings(tx, { session_expire_delay: 2 }));
  it.clock.advance(29);
  assert.equal((await it.find(secret))?.needsUpdate, false);
  it.clock.advance(1);
  assert.equal((await it.find(secret))?.needsUpdate, true);
});

test('the cleanup deletes expired sessions only', async () => {
  await using it = await surroundings();
  await it.session(null);
  await it.session(it.user.id);
  it.clock.advance(2 * DAY);
  const fresh = [await it.session(null), await it.session(it.user.id)];
  const left = async () => (await it.database.reader.selectFrom('sessions').select('digest').execute()).length;
  const run = { id: 1, attempt: 1, signal: AbortSignal.timeout(60_000) };
  await cleanUpSessionsJob.handle(it, {}, run);
  assert.equal(await left(), 3);
  it.clock.advance(5 * DAY);
  await cleanUpSessionsJob.handle(it, {}, run);
  assert.equal(await left(), 1);
  assert.equal((await it.find(fresh[1] as string))?.user?.id, it.user.id);
});

test('the cleanup runs in batches and uses its index', async () => {
  await using it = await surroundings();
  for (let count = 0; count < 5; count++) await it.session(null);
  it.clock.advance(DAY);
  const deleted = [];
  for (let batch = 0; batch < 3; batch++)
    deleted.push(await it.database.transaction((tx) => deleteIdleSessions(tx, 2)));
  assert.deepEqual(deleted, [2, 2, 1]);
  const plan = await it.database.transaction((tx) =>
    explainPlan(tx, tx.selectFrom('sessions').select('digest').where('last_seen_at', '<=', tx.now).limit(2)),
  );
  assert.match(plan.join('\n'), /sessions_by_last_seen/);
});
