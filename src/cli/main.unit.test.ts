import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';

const main = join(import.meta.dirname, '../main.ts');

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: '', ...env } });
}

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = start(args, env);
  const [out, err, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]);
  return { out, err, code };
}

async function dataDir(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hearth-main-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('version and help print to standard output', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  assert.deepEqual(await run(['version']), { out: `${version}\n`, err: '', code: 0 });
  assert.deepEqual(await run(['--version']), { out: `${version}\n`, err: '', code: 0 });
  const help = await run(['help']);
  assert.match(help.out, /^Usage: hearth \[command\]/);
  assert.deepEqual(await run(['--help']), help);
  assert.deepEqual(await run(['migrate', '-h']), help);
});

test('reports an invalid command line in one line', async () => {
  for (const args of [['sreve'], ['constructor'], ['version', 'extra'], ['migrate', '--force']]) {
    const { out, err, code } = await run(args);
    assert.deepEqual([out, code], ['', 1], args.join(' '));
    assert.match(err, /^hearth: .*\n$/, args.join(' '));
  }
});

test('an invalid setting stops the start with its name, without a stack and without its secret', async () => {
  for (const args of [[], ['serve'], ['migrate']]) {
    assert.deepEqual(await run(args, { HEARTH_SECRET_KEY: 'hunter2' }), {
      out: '',
      err: 'hearth: HEARTH_SECRET_KEY must be 32 bytes as 64 hexadecimal digits\n',
      code: 1,
    });
  }
});

test('a misspelled variable stops every command and the message suggests the setting', async () => {
  const commands = [['serve'], ['migrate'], ['token', 'create'], ['backup', 'a.tar'], ['restore', 'a.tar'], ['doctor']];
  for (const args of commands) {
    assert.deepEqual(await run(args, { HEARTH_DATADIR: 'hunter2' }), {
      out: '',
      err: 'hearth: HEARTH_DATADIR is not a setting. Did you mean HEARTH_DATA_DIR?\n',
      code: 1,
    });
  }
});

test('a command prints a warning about an unknown variable to standard error, without its value', async (t) => {
  const { err, code } = await run(['migrate'], { HEARTH_DATA_DIR: await dataDir(t), HEARTH_FOO: 'hunter2' });
  assert.match(err, /^hearth: HEARTH_FOO is not a setting and has no effect\. [^\n]*\n$/);
  assert.deepEqual([code, err.includes('hunter2')], [0, false]);
});

/** Creates a directory with a `git` script; without a script the directory stays empty. */
async function pathWithGit(t: TestContext, script?: string): Promise<string> {
  const path = await dataDir(t);
  if (script !== undefined) await writeFile(join(path, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

test('without git, or with an old one, the start fails with one line that says what to install', async (t) => {
  const sources = 'https://git-scm.com/downloads';
  const installNewer = `Install a newer git (${sources}) and start again.`;
  const backup = ['backup', 'a.tar'];
  const cases: { script?: string; commands: string[][]; message: string }[] = [
    {
      commands: [['serve'], backup],
      message: `git was not found on PATH. Install git 2.38 or newer (${sources}) and start again.`,
    },
    {
      script: 'echo git version 2.30.2',
      commands: [['serve'], backup, ['restore', 'a.tar'], ['doctor']],
      message: `git 2.38 or newer is needed; found 2.30.2. ${installNewer}`,
    },
    {
      script: 'echo got version 3',
      commands: [backup],
      message: `git 2.38 or newer is needed; "git --version" printed "got version 3". ${installNewer}`,
    },
    {
      script: 'echo no developer tools were found >&2; exit 1',
      commands: [backup],
      message: `git 2.38 or newer is needed; "git --version" failed: no developer tools were found. Install git (${sources}) and start again.`,
    },
  ];
  for (const { script, commands, message } of cases) {
    const [PATH, HEARTH_DATA_DIR] = [await pathWithGit(t, script), await dataDir(t)];
    for (const args of commands) {
      const ended = await run(args, { PATH, HEARTH_DATA_DIR, HEARTH_PORT: '0' });
      assert.deepEqual(ended, { out: '', err: `hearth: ${message}\n`, code: 1 }, args.join(' '));
    }
    assert.deepEqual(await readdir(HEARTH_DATA_DIR), []);
  }
});

test('commands that do not use git run without it', async (t) => {
  assert.equal((await run(['migrate'], { HEARTH_DATA_DIR: await dataDir(t) })).code, 0);
});

test('migrate runs the missing migrations and prints them', async (t) => {
  const env = { HEARTH_DATA_DIR: await dataDir(t) };
  const first = await run(['migrate'], env);
  assert.match(first.out, /^0001_baseline\n/);
  assert.deepEqual(await run(['migrate'], env), { out: 'The database is up to date.\n', err: '', code: 0 });
});

test('every command rejects a database of a version before 1.0.0 in one line', async (t) => {
  const HEARTH_DATA_DIR = await dataDir(t);
  const database = new DatabaseSync(join(HEARTH_DATA_DIR, 'hearth.sqlite3'));
  database.exec(`create table users (id integer primary key autoincrement);
    create table schema_migrations (name text primary key, applied_at text not null);
    insert into schema_migrations values ('0001_background', '2026-01-01T00:00:00.000Z')`);
  database.close();
  const file = join(HEARTH_DATA_DIR, 'backup.tar');
  const advice = 'there is no upgrade from it. Use an empty data directory and an empty database.';
  const err = `hearth: The database was created by a version of Hearth before 1.0.0, and ${advice}\n`;
  for (const args of [['serve'], ['migrate'], ['backup', file], ['doctor']]) {
    const ended = await run(args, { HEARTH_DATA_DIR, HEARTH_PORT: '0', PATH: process.env.PATH! });
    assert.deepEqual(ended, { out: '', err, code: 1 }, args.join(' '));
  }
});

/** Returns the first log line with the address of the server. */
async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const { address } = JSON.parse(line);
    if (address) return address;
  }
  throw new Error('The server ended without listening');
}

test('serve responds until SIGTERM and then exits with 0', async (t) => {
  const child = start(['serve'], { HEARTH_DATA_DIR: await dataDir(t), HEARTH_PORT: '0', PATH: process.env.PATH! });
  t.after(() => child.kill('SIGKILL'));
  const address = await addressOf(child);
  assert.equal((await fetch(`${address}/-/liveness`)).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

/** Starts a server, stops it when it listens, and returns its log lines of level `warn` and above. */
async function warningsOf(t: TestContext, env: Record<string, string>): Promise<string[]> {
  const child = start(['serve'], { HEARTH_PORT: '0', PATH: process.env.PATH!, ...env });
  t.after(() => child.kill('SIGKILL'));
  const warnings: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    const { address, level, msg } = JSON.parse(line);
    if (level !== 'info') warnings.push(msg);
    if (address) child.kill('SIGTERM');
  }
  return warnings;
}

test('a server logs one warning for an unknown variable, and none for those of Kubernetes and of tests', async (t) => {
  const others = { HEARTH_SERVICE_HOST: '10.0.0.1', HEARTH_PORT_80_TCP_PORT: '80', HEARTH_TEST_X: 'x' };
  const warnings = await warningsOf(t, { HEARTH_DATA_DIR: await dataDir(t), HEARTH_FOO: 'hunter2', ...others });
  assert.equal(warnings.length, 1, warnings.join('\n'));
  assert.match(warnings[0]!, /^HEARTH_FOO is not a setting and has no effect\./);
  assert.doesNotMatch(warnings[0]!, /hunter2/);
});

test('a later start warns about credentials that differ from those of root, and only then', async (t) => {
  const HEARTH_DATA_DIR = await dataDir(t);
  const first = { HEARTH_DATA_DIR, HEARTH_ROOT_TOKEN: 'glpat-first-token', HEARTH_ROOT_PASSWORD: 'first password' };
  assert.deepEqual(await warningsOf(t, first), []);
  assert.deepEqual(await warningsOf(t, first), []);
  const others = { HEARTH_ROOT_TOKEN: 'glpat-hunter2', HEARTH_ROOT_PASSWORD: 'hunter2 hunter2' };
  const warnings = await warningsOf(t, { ...first, ...others });
  assert.match(warnings.join('\n'), /^HEARTH_ROOT_TOKEN is ignored: .*\nHEARTH_ROOT_PASSWORD is ignored: .*$/);
  assert.doesNotMatch(warnings.join(), /hunter2/);
});
