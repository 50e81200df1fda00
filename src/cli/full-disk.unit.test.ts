import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { hasErrorCode } from '#runtime/failure.ts';

// A server whose data directory is a small file system of its own. Only the server's mount namespace has it, so it ends with the
// process. `/proc/PID/root` shows it to the test.

const main = join(import.meta.dirname, '../main.ts');
const TOKEN = 'glpat-full-disk-000000001';

const UNSHARE = ['--user', '--map-root-user', '--mount'];

/** Returns why this machine cannot mount a file system in a namespace, or false. */
function findSkipReason(): string | false {
  try {
    execFileSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], { stdio: 'pipe' });
    return false;
  } catch (error) {
    const reason = (error as { stderr?: Buffer }).stderr?.toString().trim() || (error as Error).message;
    return `needs a mount namespace of Linux: ${reason}`;
  }
}

const skip = findSkipReason();

/** Starts a server whose data directory is a file system of this size. */
function startOnSmallDisk(t: TestContext, size: string): { child: ChildProcess; dataDir: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'hearth-full-disk-'));
  const script = `mount -t tmpfs -o size=${size} tmpfs "$HEARTH_DATA_DIR" && exec "$@"`;
  const child = spawn('unshare', [...UNSHARE, 'sh', '-c', script, 'sh', process.execPath, main, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HEARTH_DATA_DIR: dataDir,
      HEARTH_PORT: '0',
      HEARTH_ROOT_TOKEN: TOKEN,
      HEARTH_ROOT_PASSWORD: 'full-disk-password-1',
    },
  });
  t.after(() => {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { child, dataDir };
}

/** Returns the address that the server logs. */
async function waitForAddress(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const { address } = JSON.parse(line) as { address?: string };
    if (address !== undefined) {
      child.stdout!.resume();
      return address;
    }
  }
  throw new Error(`The server ended: ${await text(child.stderr!)}`);
}

/** Writes a file until its disk is full. */
function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  try {
    // Smaller writes fill what larger ones leave.
    for (const size of [1 << 20, 4096]) while (writeAll(file, Buffer.alloc(size)));
  } finally {
    closeSync(file);
  }
}

/** Returns false if the disk is full. */
function writeAll(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch (error) {
    if (hasErrorCode(error, 'ENOSPC')) return false;
    throw error;
  }
}

/** Runs `hearth doctor` in the namespace of the server, because SQLite resolves the symbolic links of its path. */
async function runDoctor({ pid }: ChildProcess, dataDir: string): Promise<string> {
  const args = [
    '--target',
    String(pid),
    '--user',
    '--mount',
    '--preserve-credentials',
    process.execPath,
    main,
    'doctor',
  ];
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, HEARTH_DATA_DIR: dataDir };
  const doctor = spawn('nsenter', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return text(doctor.stdout);
}

test('a start on a full disk names it in one line', { skip }, async (t) => {
  const { child, dataDir } = startOnSmallDisk(t, '64k');
  const [error, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  assert.equal(code, 1);
  assert.match(error, new RegExp(`^hearth: The disk of ${dataDir}[^\\n]* is full[^\\n]*\\n$`));
});

test('a server on a disk that fills up keeps no half project, reads on, is not ready, and recovers', {
  skip,
}, async (t) => {
  const { child, dataDir } = startOnSmallDisk(t, '48m');
  const address = await waitForAddress(child);
  const disk = join(`/proc/${child.pid}/root`, dataDir);
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'private-token': TOKEN, 'content-type': 'application/json' };
    const response = await fetch(`${address}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const create = (name: string) => send('POST', '/api/v4/projects', { name, initialize_with_readme: true });
  const listFiles = () => readdirSync(join(disk, 'repositories'), { recursive: true, encoding: 'utf8' }).sort();
  assert.equal((await create('first')).status, 201);
  const filesBefore = listFiles();

  fillDisk(join(disk, 'filler'));
  const refused = await create('second');
  assert.ok(refused.status >= 500, `${refused.status}`);
  assert.equal((await send('GET', '/-/readiness')).status, 503);
  assert.equal((await send('GET', '/-/liveness')).status, 200);
  assert.equal((await send('GET', '/api/v4/projects/root%2Ffirst')).status, 200);
  assert.equal((await send('GET', '/api/v4/projects/root%2Fsecond')).status, 404);
  assert.deepEqual(
    listFiles().filter((path) => !filesBefore.includes(path)),
    [],
  );

  rmSync(join(disk, 'filler'));
  assert.equal((await send('GET', '/-/readiness')).status, 200);
  assert.equal((await create('second')).status, 201);
  const readme = '/api/v4/projects/root%2Fsecond/repository/files/README.md?ref=main';
  assert.equal((await send('GET', readme)).body.file_name, 'README.md');
  assert.equal(await runDoctor(child, dataDir), 'No problems found.\n');
});
