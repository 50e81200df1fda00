import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { ENV_VARIABLE_NAMES, START_UP_SETTINGS } from '#config.ts';
import { COMMANDS } from './commands.ts';
import { runHearth, runInProcess, startServerFor, temporaryDirectory } from './process.testing.ts';

const run = (args: readonly string[], env: Record<string, string> = {}) => runHearth(args, { PATH: '', ...env });

test('prints the version with the commit of the build', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const printed = { out: `hearth ${version} (unknown commit)\n`, err: '', code: 0 };
  for (const args of [['--version'], ['-v'], ['version']])
    assert.deepEqual(await runInProcess(args), printed, args.join());
});

test('the help lists every command, and each command and group has a help of its own', async () => {
  const help = await runInProcess(['--help']);
  assert.equal(help.code, 0);
  for (const args of [['-h'], ['help']]) assert.deepEqual(await runInProcess(args), help);
  const listed = [...help.out.matchAll(/^ {2}([a-z][a-z -]*?) {2,}/gm)].map(([, name]) => name);
  assert.deepEqual(
    listed,
    COMMANDS.map(({ name }) => name),
  );
  for (const { name } of COMMANDS) {
    const command = await COMMANDS.find((entry) => entry.name === name)!.load();
    const { out, code } = await runInProcess([...name.split(' '), '--help'], { HEARTH_PORT: 'invalid' });
    assert.equal(code, 0, name);
    assert.ok(out.startsWith(`Usage: hearth ${name}`), out);
    for (const option of Object.keys(command.options)) assert.match(out, new RegExp(`^ +--${option}\\b`, 'm'));
  }
  const group = await runInProcess(['user', '--help']);
  assert.match(group.out, /^Usage: hearth user COMMAND/);
  assert.deepEqual(await runInProcess(['user']), group);
});

test('hearth serve --help lists every setting with its default', async () => {
  const { out } = await runInProcess(['serve', '--help']);
  const text = out.replaceAll(/\s+/g, ' ');
  for (const name of ENV_VARIABLE_NAMES) {
    const setting: { readonly default?: string; readonly whenUnset?: string } = START_UP_SETTINGS[name];
    const unset = (setting.default ?? setting.whenUnset!).replaceAll('`', '');
    const start = text.indexOf(`${name} `);
    assert.ok(start > 0 && text.indexOf(`(default: ${unset})`, start) > 0, name);
  }
});

test('a process prints the help, and ends with the exit code of its error', async () => {
  assert.deepEqual(await run(['--help']), await runInProcess(['--help']));
  assert.deepEqual(await run(['sreve']), await runInProcess(['sreve']));
});

test('an invalid command line ends with one line and the exit code 2', async () => {
  const cases: [string[], string][] = [
    [['sreve'], 'Unknown command: sreve. hearth --help lists the commands'],
    [['constructor'], 'Unknown command: constructor. hearth --help lists the commands'],
    [['user', 'delete'], 'Unknown command: user delete. hearth user --help lists the commands'],
    [['--verbose'], 'Unknown command: --verbose. hearth --help lists the commands'],
    [['version', 'extra'], 'Unexpected argument: extra. See hearth --help'],
    [['migrate', '--force'], "Unknown option '--force'. See hearth migrate --help"],
    [['migrate', 'extra'], 'Unexpected argument: extra. See hearth migrate --help'],
    [['serve', '--port', '80'], "Unknown option '--port'. See hearth serve --help"],
    [['backup'], 'Missing argument: FILE.tar. See hearth backup --help'],
    [['doctor', '--only', 'nothing'], 'There is no check nothing. See hearth doctor --help'],
    [['doctor', '--only'], "Option '--only <value>' argument missing. See hearth doctor --help"],
  ];
  for (const [args, message] of cases)
    assert.deepEqual(await runInProcess(args), { out: '', err: `hearth: ${message}\n`, code: 2 }, args.join(' '));
});

test('an invalid setting stops the start with its name, without a stack and without its secret', async () => {
  for (const args of [[], ['serve'], ['migrate']]) {
    assert.deepEqual(await runInProcess(args, { HEARTH_SECRET_KEY: 'hunter2' }), {
      out: '',
      err: 'hearth: HEARTH_SECRET_KEY must be 32 bytes as 64 hexadecimal digits\n',
      code: 1,
    });
  }
});

test('a misspelled variable stops every command and the message suggests the setting', async () => {
  const commands = [
    ['serve'],
    ['migrate'],
    ['status'],
    ['user', 'list'],
    ['backup', 'a.tar'],
    ['restore', 'a.tar'],
    ['doctor'],
  ];
  for (const args of commands) {
    assert.deepEqual(await runInProcess(args, { HEARTH_DATADIR: 'hunter2' }), {
      out: '',
      err: 'hearth: HEARTH_DATADIR is not a setting. Did you mean HEARTH_DATA_DIR?\n',
      code: 1,
    });
  }
});

test('a command prints a warning about an unknown variable to standard error, without its value', async (t) => {
  const { err, code } = await run(['migrate'], { HEARTH_DATA_DIR: await temporaryDirectory(t), HEARTH_FOO: 'hunter2' });
  assert.match(err, /^hearth: HEARTH_FOO is not a setting and has no effect\. [^\n]*\n$/);
  assert.deepEqual([code, err.includes('hunter2')], [0, false]);
});

/** Creates a directory with a `git` script; without a script the directory stays empty. */
async function pathWithGit(t: TestContext, script?: string): Promise<string> {
  const path = await temporaryDirectory(t);
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
    const [PATH, HEARTH_DATA_DIR] = [await pathWithGit(t, script), await temporaryDirectory(t)];
    for (const args of commands) {
      const ended = await run(args, { PATH, HEARTH_DATA_DIR, HEARTH_PORT: '0' });
      assert.deepEqual(ended, { out: '', err: `hearth: ${message}\n`, code: 1 }, args.join(' '));
    }
    assert.deepEqual(await readdir(HEARTH_DATA_DIR), []);
  }
});

test('commands that do not use git run without it', async (t) => {
  assert.equal((await run(['migrate'], { HEARTH_DATA_DIR: await temporaryDirectory(t) })).code, 0);
});

test('migrate runs the missing migrations and prints them', async (t) => {
  const env = { HEARTH_DATA_DIR: await temporaryDirectory(t) };
  const first = await run(['migrate'], env);
  assert.match(first.out, /^0001_baseline\n/);
  assert.deepEqual(await run(['migrate'], env), { out: 'The database is up to date.\n', err: '', code: 0 });
});

test('every command rejects a database of a version before 1.0.0 in one line', async (t) => {
  const HEARTH_DATA_DIR = await temporaryDirectory(t);
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

test('serve responds until a signal, logs it, and exits with 0', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = await startServerFor(t, { HEARTH_DATA_DIR: await temporaryDirectory(t) });
    assert.equal((await fetch(`${server.address}/-/liveness`)).status, 200);
    server.child.kill(signal);
    assert.deepEqual(await server.ended, [0, null]);
    const messages = server.lines.map(({ msg }) => msg);
    assert.ok(messages.includes(`Hearth stops, because it received ${signal}`), messages.join('\n'));
    assert.equal(messages.at(-1), 'Hearth has stopped');
  }
});

test('SIGHUP does not end a server', async (t) => {
  const { child, address } = await startServerFor(t, { HEARTH_DATA_DIR: await temporaryDirectory(t) });
  child.kill('SIGHUP');
  for (let request = 0; request < 3; request++) assert.equal((await fetch(`${address}/-/liveness`)).status, 200);
  assert.equal(child.exitCode, null);
});

test('the log and the metrics of a server have its version and commit', async (t) => {
  const { lines, address } = await startServerFor(t, { HEARTH_DATA_DIR: await temporaryDirectory(t) });
  const { version, commit } = lines.find(({ msg }) => msg === 'Hearth is ready')!;
  assert.match(String(version), /^1\.\d+\.\d+$/);
  assert.equal(commit, null);
  const metrics = await (await fetch(`${address}/-/metrics`)).text();
  assert.match(metrics, new RegExp(`^hearth_build_info\\{version="${version}",commit="unknown"\\} 1$`, 'm'));
});

test('no log line has the metrics token', async (t) => {
  const secret = 'hunter2-hunter2-hunter2';
  const env = { HEARTH_METRICS_TOKEN: secret, HEARTH_LOG_LEVEL: 'trace' };
  const server = await startServerFor(t, { HEARTH_DATA_DIR: await temporaryDirectory(t), ...env });
  const read = (token: string) =>
    fetch(`${server.address}/-/metrics`, { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual([(await read(secret)).status, (await read(`${secret}x`)).status], [200, 401]);
  assert.equal((await fetch(`${server.address}/-/metrics?access_token=${secret}`)).status, 401);
  server.child.kill('SIGTERM');
  await server.ended;
  assert.equal(server.lines.filter(({ endpoint }) => endpoint === 'getMetrics').length, 3);
  assert.ok(!JSON.stringify(server.lines).includes(secret));
});

/** Starts a server, stops it when it listens, and returns its log lines of level `warn` and above. */
async function warningsOf(t: TestContext, env: Record<string, string>): Promise<unknown[]> {
  const { child, lines, ended } = await startServerFor(t, env);
  child.kill('SIGTERM');
  await ended;
  return lines.filter(({ level }) => level !== 'info').map(({ msg }) => msg);
}

test('a server logs one warning for an unknown variable, and none for those of Kubernetes and of tests', async (t) => {
  const others = { HEARTH_SERVICE_HOST: '10.0.0.1', HEARTH_PORT_80_TCP_PORT: '80', HEARTH_TEST_X: 'x' };
  const warnings = await warningsOf(t, {
    HEARTH_DATA_DIR: await temporaryDirectory(t),
    HEARTH_FOO: 'hunter2',
    ...others,
  });
  assert.equal(warnings.length, 1, warnings.join('\n'));
  assert.match(String(warnings[0]), /^HEARTH_FOO is not a setting and has no effect\./);
  assert.doesNotMatch(String(warnings[0]), /hunter2/);
});

test('a later start warns about credentials that differ from those of root, and only then', async (t) => {
  const HEARTH_DATA_DIR = await temporaryDirectory(t);
  const first = { HEARTH_DATA_DIR, HEARTH_ROOT_TOKEN: 'glpat-first-token', HEARTH_ROOT_PASSWORD: 'first password' };
  assert.deepEqual(await warningsOf(t, first), []);
  assert.deepEqual(await warningsOf(t, first), []);
  const others = { HEARTH_ROOT_TOKEN: 'glpat-hunter2', HEARTH_ROOT_PASSWORD: 'hunter2 hunter2' };
  const warnings = await warningsOf(t, { ...first, ...others });
  assert.match(warnings.join('\n'), /^HEARTH_ROOT_TOKEN is ignored: .*\nHEARTH_ROOT_PASSWORD is ignored: .*$/);
  assert.doesNotMatch(warnings.join(), /hunter2/);
});
