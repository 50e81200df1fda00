import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Config, loadConfig } from '#config.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import { findSecretKey } from '#security/key-file.ts';
import { startServer } from '#server.ts';
import { loadServerKey } from '#settings/server-key.ts';
import { testPlace } from '#test/engines/engine.ts';
import { runInProcess, startHearth } from './process.testing.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Creates the data of a server with one secret, and returns the variables of its commands and the path of its key file. */
async function createPlace(t: TestContext, secretCount = 1, settings: Environment = {}) {
  const place = await testPlace('started');
  t.after(() => place.remove());
  const env: Environment = { HEARTH_DATA_DIR: place.dataDir, HEARTH_DATABASE_URL: place.url, HEARTH_PORT: '0' };
  await withDatabase({ ...env, ...settings }, (database, config) => storeSecrets(database, config, secretCount));
  return { env, directory: place.dataDir, keyFile: join(place.dataDir, 'secret-key') };
}

async function withDatabase<T>(env: Environment, work: (database: Database, config: Config) => Promise<T>): Promise<T> {
  const config = loadConfig(env);
  const url = config.databaseUrl ?? undefined;
  const place = { dataDir: config.dataDir, url, clock: systemClock, applicationName: 'test' };
  const database = await openDatabase(place);
  return work(database, config).finally(() => database.close());
}

const toVariable = (number: number) => ({ project_id: null, group_id: null, key: `V${number}` });

async function storeSecrets(database: Database, config: Config, count: number): Promise<void> {
  const key = await loadServerKey(config, database);
  await database.transaction(async (tx) => {
    for (let number = 1; number <= count; number++) {
      const variable = toVariable(number);
      const encrypted_value = encrypt(key, `secret ${number}`, ENCRYPTED_COLUMNS.ciVariable.buildContext(variable));
      const flags = { protected: false, masked: false, hidden: false, raw: false, description: null };
      const times = { created_at: tx.now, updated_at: tx.now };
      const attributes = { variable_type: 'env_var', environment_scope: '*', ...flags, ...times } as const;
      await tx
        .insertInto('ci_variables')
        .values({ ...variable, encrypted_value, ...attributes })
        .execute();
    }
  });
}

/** Decrypts all secrets as a server with these variables would. */
function readSecrets(env: Environment): Promise<string[]> {
  return withDatabase(env, async (database, config) => {
    const key = (await findSecretKey(config))!;
    const rows = await database.reader.selectFrom('ci_variables').selectAll().orderBy('id').execute();
    return rows.map((row) => decrypt(key, row.encrypted_value, ENCRYPTED_COLUMNS.ciVariable.buildContext(row)));
  });
}

/** Returns the audit events of rotations. */
function listRotationEvents(env: Environment) {
  return withDatabase(env, async ({ reader }) => {
    const rows = await reader
      .selectFrom('audit_events')
      .selectAll()
      .where('event_name', '=', 'secret_key_rotated')
      .execute();
    return rows.map(({ author_id, entity_type, details }) => ({
      author_id,
      entity_type,
      details: JSON.parse(details),
    }));
  });
}

/** Asserts that a server does not start, and returns why. */
async function getStartProblem(env: Environment): Promise<string> {
  const started = startServer(loadConfig({ ...env, HEARTH_LOG_LEVEL: 'silent' }));
  return started.then(
    async (server) => {
      await server.stop();
      return 'The server started';
    },
    (error: Error) => error.message,
  );
}

test('a server with a lost or another key does not start, and does once the key is back', async (t) => {
  const { env, keyFile } = await createPlace(t);
  await rename(keyFile, `${keyFile}.away`);
  assert.match(
    await getStartProblem(env),
    /^The secret key is missing: stored secrets .* Restore the key from a copy /,
  );
  const otherKey = { ...env, HEARTH_SECRET_KEY: '0'.repeat(64) };
  assert.match(await getStartProblem(otherKey), /^HEARTH_SECRET_KEY is another secret key: its fingerprint is /);
  const doctor = await runInProcess(['doctor', '--only', 'secrets'], env);
  assert.match(doctor.out, /^secrets: The secret key is missing: [^\n]*\n$/);
  assert.equal(doctor.code, 7);
  assert.match((await runInProcess(['status'], env)).err, /The secret key is missing/);
  await rename(`${keyFile}.away`, keyFile);
  assert.equal(await getStartProblem(env), 'The server started');
});

test('a rotation replaces the key file, and every secret is readable with the new key', async (t) => {
  const { env, keyFile } = await createPlace(t);
  const oldKey = await readFile(keyFile, 'utf8');
  const { code, out, err } = await runInProcess(['secret-key', 'rotate'], env);
  assert.equal(code, 0, err);
  assert.match(out, /^The secret key is rotated: /);
  assert.match(err, /1 secrets are encrypted with the new key/);
  assert.equal(await readFile(`${keyFile}.old`, 'utf8'), oldKey);
  assert.notEqual(await readFile(keyFile, 'utf8'), oldKey);
  assert.deepEqual(await readSecrets(env), ['secret 1']);
  assert.equal((await runInProcess(['doctor', '--only', 'secrets'], env)).out, 'No problems found.\n');
  assert.equal(await getStartProblem(env), 'The server started');
  const [event, ...others] = await listRotationEvents(env);
  assert.deepEqual([event?.author_id, event?.entity_type, others], [-1, 'Gitlab::Audit::InstanceScope', []]);
  const { author_name, target_type, target_details, custom_message, from, to } = event!.details;
  assert.deepEqual([author_name, target_type, custom_message], ['(System)', 'SecretKey', 'Rotated the secret key']);
  assert.ok(from !== to && target_details === to);
  const keys = [oldKey.trim(), (await readFile(keyFile, 'utf8')).trim()];
  assert.ok(keys.every((key) => !JSON.stringify(event).includes(key)));
});

test('a rotation of HEARTH_SECRET_KEY takes the new key from a file', async (t) => {
  const [oldKey, newKey] = ['1'.repeat(64), '2'.repeat(64)];
  const { env, directory } = await createPlace(t, 1, { HEARTH_SECRET_KEY: oldKey });
  const file = join(directory, 'new-key');
  await writeFile(file, newKey);
  const withOldKey = { ...env, HEARTH_SECRET_KEY: oldKey };
  const missing = await runInProcess(['secret-key', 'rotate'], withOldKey);
  assert.deepEqual([missing.code, /--new-key-file is required/.test(missing.err)], [2, true]);
  const rotate = ['secret-key', 'rotate', '--new-key-file', file];
  const result = await runInProcess(rotate, withOldKey);
  assert.equal(result.code, 0, result.err);
  assert.deepEqual(await readSecrets({ ...env, HEARTH_SECRET_KEY: newKey }), ['secret 1']);
  assert.match(await getStartProblem(withOldKey), /^HEARTH_SECRET_KEY is another secret key/);
  assert.equal((await runInProcess(rotate, withOldKey)).code, 0);
});

test('no rotation begins while a server runs', async (t) => {
  const { env, keyFile } = await createPlace(t);
  const oldKey = await readFile(keyFile, 'utf8');
  const server = await startServer(loadConfig({ ...env, HEARTH_LOG_LEVEL: 'silent' }));
  const { code, err } = await runInProcess(['secret-key', 'rotate'], env);
  assert.equal(code, 1);
  assert.match(err, /^hearth: (A server is running on|Servers have \d+ sessions on this database\. Stop all)/);
  await server.stop();
  assert.equal(await readFile(keyFile, 'utf8'), oldKey);
  assert.equal(await getStartProblem(env), 'The server started');
});

/** Runs a rotation and kills it as soon as it has stored the position of a batch. */
async function killDuringRotation(env: Environment): Promise<void> {
  const child = startHearth(['secret-key', 'rotate'], env);
  const ended = once(child, 'close');
  // The first line is written when the rotation has begun.
  for await (const line of createInterface({ input: child.stderr! })) if (line.startsWith('Starting')) break;
  await withDatabase(env, async ({ reader }) => {
    while (child.exitCode === null) {
      // Reads of one turn of the event loop see one state.
      await nextTurn();
      const row = await reader.selectFrom('application_settings').select('value').executeTakeFirstOrThrow();
      if (JSON.parse(row.value).secret_key_state.rotation?.column !== null) break;
    }
    child.kill('SIGKILL');
  });
  assert.deepEqual(await ended, [null, 'SIGKILL'], 'The rotation ended before it was killed');
}

test('a rotation that is killed between batches prevents a start, and continues when it runs again', async (t) => {
  const { env, directory } = await createPlace(t, 3_000);
  await killDuringRotation(env);
  assert.match(
    await getStartProblem(env),
    /^A rotation of the secret key is not complete\. Run hearth secret-key rotate /,
  );
  const backup = await runInProcess(['backup', join(directory, 'a.tar')], env);
  assert.match(backup.err, /hearth: The stored secrets have two keys/);
  const { code, err } = await runInProcess(['secret-key', 'rotate'], env);
  assert.equal(code, 0, err);
  assert.match(err, /Continuing to encrypt the stored secrets\n(.*\n)*3000 secrets are encrypted with the new key/);
  assert.equal((await listRotationEvents(env)).length, 1);
  const secrets = await readSecrets(env);
  assert.deepEqual(
    secrets,
    Array.from({ length: 3_000 }, (_, index) => `secret ${index + 1}`),
  );
});

test('a rotation with unreadable secrets changes nothing, unless it may skip them', async (t) => {
  const { env, keyFile } = await createPlace(t);
  await writeFile(keyFile, '3'.repeat(64));
  const wrong = await runInProcess(['secret-key', 'rotate'], env);
  assert.deepEqual([wrong.code, /is another secret key/.test(wrong.err)], [6, true], wrong.err);
  const skipped = await runInProcess(['secret-key', 'rotate', '--skip-unreadable'], env);
  assert.equal(skipped.code, 0, skipped.err);
  const unreadable =
    /0 secrets are encrypted .*; 1 are still unreadable: 1 of ci_variables\.encrypted_value \(first id 1\)/;
  assert.match(skipped.err, unreadable);
  const doctor = await runInProcess(['doctor', '--only', 'secrets'], env);
  assert.match(doctor.out, /^secrets: 1 secrets in ci_variables\.encrypted_value cannot be decrypted/);
  assert.equal(await getStartProblem(env), 'The server started');
});
