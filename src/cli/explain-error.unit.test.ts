import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rmdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadConfig } from '#config.ts';
import { DatabaseUnavailable } from '#database/database.ts';
import { startServer } from '#server.ts';
import { explainError } from './explain-error.ts';
import { runHearth, runInProcess, temporaryDirectory } from './process.testing.ts';

/** Starts a server that must fail, and returns what a user reads: one line. */
async function explainStart(env: Readonly<Record<string, string>>): Promise<string> {
  const config = loadConfig({ HEARTH_PORT: '0', HEARTH_LOG_LEVEL: 'silent', ...env });
  const error = await startServer(config).then(
    async (server) => {
      await server.stop();
      throw new Error('The server started');
    },
    (startError: unknown) => startError,
  );
  const text = explainError(error, env);
  assert.doesNotMatch(text, /\n/);
  return text;
}

/** Creates a file system of 1 MiB. Returns null where that is not allowed. */
async function createSmallDisk(t: TestContext, options: string): Promise<string | null> {
  const path = await mkdtemp(join(tmpdir(), 'hearth-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    await rmdir(path);
    return null;
  }
  t.after(async () => {
    execFileSync('umount', ['--lazy', path]);
    await rmdir(path);
  });
  return path;
}

test('a port in use is named, with the setting to change', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  const env = { HEARTH_DATA_DIR: await temporaryDirectory(t), HEARTH_PORT: String(port), HEARTH_LOG_LEVEL: 'silent' };
  const message = `Another program listens on 127.0.0.1:${port}. Stop it, or set HEARTH_PORT to another port.`;
  assert.deepEqual(await runHearth(['serve'], env), { out: '', err: `hearth: ${message}\n`, code: 1 });
});

test('an address of another machine is rejected with the setting to change', async (t) => {
  const env = { HEARTH_DATA_DIR: await temporaryDirectory(t), HEARTH_HOST: '192.0.2.1', HEARTH_PORT: '0' };
  const { err, code } = await runHearth(['serve'], env);
  assert.match(err, /^hearth: This machine has no address of that name .* Set HEARTH_HOST to one of [^\n]*\n$/);
  assert.equal(code, 1);
});

test('a database without a server names PostgreSQL and its setting', async (t) => {
  const env = {
    HEARTH_DATA_DIR: await temporaryDirectory(t),
    HEARTH_DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x',
  };
  assert.match(
    await explainStart(env),
    /^PostgreSQL cannot be reached: .*127\.0\.0\.1:1.* correct HEARTH_DATABASE_URL\.$/,
  );
});

test('errors of PostgreSQL name what to correct', () => {
  for (const [code, message, expected] of [
    ['28P01', 'password authentication failed for user "u"', /Correct user and password in HEARTH_DATABASE_URL\.$/],
    ['3D000', 'database "x" does not exist', /Create the database, or correct its name in HEARTH_DATABASE_URL\.$/],
    ['53300', 'too many clients already', /Raise max_connections/],
  ] as const) {
    const text = explainError(new DatabaseUnavailable(Object.assign(new Error(message), { code })), {});
    assert.ok(text.startsWith(`PostgreSQL answers: ${message}. `), text);
    assert.match(text, expected);
  }
});

test('a damaged database is named, with the way to a new one', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'hearth.sqlite3');
  await writeFile(file, randomBytes(8192));
  const env = { HEARTH_DATA_DIR: directory };
  const message = new RegExp(`^${file} is damaged, or not a database of SQLite\\. Restore a backup .*\\.$`);
  assert.match(await explainStart(env), message);
  const { err, code } = await runInProcess(['user', 'list'], env);
  assert.deepEqual([code, /^hearth: .* is damaged, or not a database [^\n]*\n$/.test(err)], [1, true], err);
});

test('a file in place of the data directory is named', async (t) => {
  const file = join(await temporaryDirectory(t), 'file');
  await writeFile(file, '');
  assert.match(
    await explainStart({ HEARTH_DATA_DIR: file }),
    new RegExp(`^${file} cannot be created: .* set HEARTH_DATA_DIR`),
  );
  assert.match(
    await explainStart({ HEARTH_DATA_DIR: join(file, 'data') }),
    /cannot be created: .* set HEARTH_DATA_DIR/,
  );
});

test('a data directory that cannot be written is named', async (t) => {
  const disk = await createSmallDisk(t, 'size=1m,ro');
  if (disk === null) return t.skip('file systems cannot be mounted here');
  assert.match(
    await explainStart({ HEARTH_DATA_DIR: join(disk, 'data') }),
    /data cannot be created: its file system may be read-only \(ENOENT\)\. Create it, or set HEARTH_DATA_DIR to another directory\.$/,
  );
  assert.match(await explainStart({ HEARTH_DATA_DIR: disk }), new RegExp(`${disk}.* (cannot be|may not)`));
});

test('a full disk is named', async (t) => {
  const disk = await createSmallDisk(t, 'size=1m');
  if (disk === null) return t.skip('file systems cannot be mounted here');
  const dataDir = join(disk, 'data');
  await mkdir(dataDir);
  await writeFile(join(disk, 'filler'), Buffer.alloc(700 * 1024));
  assert.match(await explainStart({ HEARTH_DATA_DIR: dataDir }), new RegExp(`^The disk of ${dataDir}.* is full`));
});

test('a second server on a data directory says how to go on', async (t) => {
  const env = { HEARTH_DATA_DIR: await temporaryDirectory(t) };
  const server = await startServer(loadConfig({ ...env, HEARTH_PORT: '0', HEARTH_LOG_LEVEL: 'silent' }));
  t.after(() => server.stop());
  assert.equal(
    await explainStart(env),
    `A server is running on ${env.HEARTH_DATA_DIR}. Stop it first, or set HEARTH_DATA_DIR to another directory.`,
  );
});

test('an unexpected error keeps its stack', () => {
  assert.match(explainError(new TypeError('x is not a function'), {}), /^TypeError: x is not a function\n +at /);
});
