import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Database, Transaction } from '#database/database.ts';
import { verifyPassword } from '#security/passwords.ts';
import { hashToken } from '#security/tokens.ts';
import { loadSettings, writeStoredValue } from '#settings/settings.ts';
import { testDatabase, testPlace } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { bootstrapUsers } from './bootstrap.ts';
import { findUserByUsername, type User } from './users.ts';

const given = { rootPassword: 'a chosen pass phrase', rootToken: 'glpat-chosen-token-000' };

async function start(database: Database, dataDir: string, changes: object = {}) {
  const logged: string[] = [];
  const first = await bootstrapUsers({
    database,
    config: { rootPassword: null, rootToken: null, allowLocalRequests: false, dataDir },
    log: { info: (fields, message) => logged.push(JSON.stringify(fields) + message) },
    afterCreate: async () => {},
    ...changes,
  });
  return { first, logged: logged.join('\n') };
}

test('the first start creates root with the chosen password and token, and the internal users', async () => {
  const clock = testClock();
  await using place = await testPlace('empty');
  await using database = await testDatabase({ clock });
  const namespaces: string[] = [];
  const { first } = await start(database, place.dataDir, {
    config: { ...given, allowLocalRequests: true, dataDir: place.dataDir },
    afterCreate: async (_tx: Transaction, user: User) => void namespaces.push(user.username),
  });
  assert.equal(first, true);
  assert.deepEqual(await readdir(place.dataDir), []);
  const root = await findUserByUsername(database.reader, 'ROOT');
  assert.equal(root?.admin, true);
  assert.equal((await findUserByUsername(database.reader, 'ghost'))?.internal, true);
  assert.equal((await findUserByUsername(database.reader, 'alert-bot'))?.bot, true);
  assert.deepEqual(namespaces, ['root']);
  const tokens = await database.reader.selectFrom('access_tokens').select(['digest', 'expires_at']).execute();
  assert.deepEqual(tokens, [{ digest: hashToken(given.rootToken), expires_at: '2027-01-02' }]);
  const { password_hash } = await database.reader
    .selectFrom('users')
    .select('password_hash')
    .where('username', '=', 'root')
    .executeTakeFirstOrThrow();
  assert.equal(await verifyPassword(password_hash, given.rootPassword), true);
  assert.equal((await loadSettings(database.reader)).allow_local_requests_from_web_hooks_and_services, true);
});

test('generated credentials are written to a private file, and the log contains only its path', async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase();
  const { logged } = await start(database, place.dataDir);
  const path = join(place.dataDir, 'initial-credentials');
  const note = await readFile(path, 'utf8');
  const token = /^token: (\S+)$/m.exec(note)?.[1] ?? '';
  assert.match(note, /^username: root\npassword: \S{24}\ntoken: glpat-\S{20}\n$/);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(logged.includes(path), true);
  assert.equal(logged.includes(token), false);
  assert.deepEqual(await readdir(place.dataDir), ['initial-credentials']);
  const stored = await database.reader.selectFrom('access_tokens').select('digest').executeTakeFirstOrThrow();
  assert.equal(stored.digest, hashToken(token));
});

test('a second start changes nothing, even if root was changed', async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase();
  await start(database, place.dataDir);
  await database.transaction(async (tx) => {
    await tx.deleteFrom('users').where('username', '=', 'root').execute();
  });
  assert.equal((await start(database, place.dataDir)).first, false);
  assert.equal(await findUserByUsername(database.reader, 'root'), null);
});

test('one of two concurrent first starts creates the users', async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase();
  // The fingerprint of the secret key is stored before.
  await database.transaction((tx) => writeStoredValue(tx, 'other', 7));
  const both = await Promise.all([start(database, place.dataDir), start(database, place.dataDir)]);
  assert.deepEqual(both.map(({ first }) => first).sort(), [false, true]);
  const users = await database.reader.selectFrom('users').select('username').orderBy('id').execute();
  assert.deepEqual(
    users.map(({ username }) => username),
    ['root', 'ghost', 'alert-bot'],
  );
  assert.deepEqual(await readdir(place.dataDir), ['initial-credentials']);
});
