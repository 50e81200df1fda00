import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#database/database.ts';
import { countScryptRuns } from '#security/passwords.ts';
import { type TestPlace, testDatabase, testPlace } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { warnIfRootCredentialsDiffer } from './ignored-credentials.ts';
import { bootstrapUsers } from './users/bootstrap.ts';

const TOKEN = 'glpat-chosen-token-000';
const PASSWORD = 'a chosen pass phrase';

async function withUsers(database: Database, { dataDir }: TestPlace): Promise<void> {
  const config = { rootPassword: PASSWORD, rootToken: TOKEN, allowLocalRequests: false, dataDir };
  await bootstrapUsers({ database, config, log: { info: () => {} }, afterCreate: async () => {} });
}

/** Returns the warnings of a later start with these credentials. */
async function warningsOf(database: Database, rootToken: string | null, rootPassword: string | null) {
  const warnings: string[] = [];
  await warnIfRootCredentialsDiffer({
    database,
    config: { rootToken, rootPassword },
    log: { warn: (fields, message) => warnings.push(JSON.stringify(fields) + message) },
  });
  return warnings;
}

test('valid or unset credentials of root cause no warning, and unset ones no query and no hash', async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase();
  await withUsers(database, place);
  assert.deepEqual(await warningsOf(database, TOKEN, PASSWORD), []);
  const before = countScryptRuns();
  const unused = new Proxy(database, { get: () => assert.fail('the database is asked') });
  assert.deepEqual(await warningsOf(unused, null, null), []);
  assert.equal(countScryptRuns(), before);
});

test('other values cause one warning each, with instructions and without the value', async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase();
  await withUsers(database, place);
  const [token = '', password = '', ...more] = await warningsOf(database, 'glpat-hunter2', 'hunter2 hunter2');
  assert.match(token, /HEARTH_ROOT_TOKEN is ignored: .* root\. .*hearth token create --user root/);
  assert.match(
    password,
    /HEARTH_ROOT_PASSWORD is ignored: .* it is not the password of root\. .*PUT \/api\/v4\/users\/\d+$/,
  );
  assert.deepEqual(more, []);
  assert.doesNotMatch(token + password, /hunter2/);
  assert.equal((await warningsOf(database, 'glpat-hunter2', PASSWORD)).length, 1);
  assert.equal((await warningsOf(database, TOKEN, 'hunter2 hunter2')).length, 1);
});

test('an expired or revoked token is not valid, also if root was renamed', async () => {
  await using place = await testPlace('empty');
  const clock = testClock();
  await using database = await testDatabase({ clock });
  await withUsers(database, place);
  await database.transaction(async (tx) => {
    await tx.updateTable('users').set({ username: 'chief', username_key: 'chief' }).where('admin', '=', true).execute();
  });
  assert.deepEqual(await warningsOf(database, TOKEN, PASSWORD), []);
  const year = 366 * 24 * 60 * 60;
  clock.advance(year);
  assert.match((await warningsOf(database, TOKEN, null)).join(), /not a valid token of chief.*--user chief/);
  clock.advance(-year);
  await database.transaction(async (tx) => {
    await tx.updateTable('access_tokens').set({ revoked: true }).execute();
  });
  assert.equal((await warningsOf(database, TOKEN, null)).length, 1);
});

test('without any administrator both are ignored, and no hash is computed', async () => {
  await using place = await testPlace('empty');
  await using database = await testDatabase();
  await withUsers(database, place);
  await database.transaction(async (tx) => {
    await tx.deleteFrom('users').where('admin', '=', true).execute();
  });
  const before = countScryptRuns();
  assert.equal((await warningsOf(database, TOKEN, PASSWORD)).length, 2);
  assert.equal(countScryptRuns(), before);
});
