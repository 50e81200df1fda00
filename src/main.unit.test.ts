import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';

const main = join(import.meta.dirname, 'main.ts');

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
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'));
  assert.deepEqual(await run(['version']), { out: `${version}\n`, err: '', code: 0 });
  assert.deepEqual(await run(['--version']), { out: `${version}\n`, err: '', code: 0 });
  const help = await run(['help']);
  assert.match(help.out, /^Usage: hearth \[command\]/);
  assert.deepEqual(await run(['--help']), help);
  assert.deepEqual(await run(['migrate', '-h']), help);
});

test('a command line that is not understood is told in one line', async () => {
  for (const args of [['sreve'], ['constructor'], ['version', 'extra'], ['migrate', '--force']]) {
    const { out, err, code } = await run(args);
    assert.deepEqual([out, code], ['', 1], args.join(' '));
    assert.match(err, /^hearth: .*\n$/, args.join(' '));
  }
});

test('a wrong setting stops the start, named, without a stack and without its secret', async () => {
  for (const args of [[], ['serve'], ['migrate']]) {
    assert.deepEqual(await run(args, { HEARTH_SECRET_KEY: 'hunter2' }), {
      out: '',
      err: 'hearth: HEARTH_SECRET_KEY must be 32 bytes as 64 hexadecimal digits\n',
      code: 1,
    });
  }
});

test('migrate brings the database up to date and says what it did', async (t) => {
  const env = { HEARTH_DATA_DIR: await dataDir(t) };
  const first = await run(['migrate'], env);
  assert.match(first.out, /^0001_background\n0002_blobs\n/);
  assert.deepEqual(await run(['migrate'], env), { out: 'The database is up to date.\n', err: '', code: 0 });
});

/** The first line of the log that tells where the server listens. */
async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const { address } = JSON.parse(line);
    if (address) return address;
  }
  throw new Error('The server ended without listening');
}

test('serve answers until it is told to stop, and then ends well', async (t) => {
  const child = start(['serve'], { HEARTH_DATA_DIR: await dataDir(t), HEARTH_PORT: '0', PATH: process.env.PATH! });
  t.after(() => child.kill('SIGKILL'));
  const address = await addressOf(child);
  assert.equal((await fetch(`${address}/-/liveness`)).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
