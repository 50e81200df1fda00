import { existsSync } from 'node:fs';
import { access, constants, mkdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { CommandFailed } from '#backup/command-failed.ts';
import { createProgress, formatBytes } from '#backup/progress.ts';
import { type ServerData, withServer } from '#backup/server-data.ts';
import type { Config } from '#config.ts';
import { isDataDirectoryLocked } from '#database/data-directory-lock.ts';
import { countServerSessions } from '#database/dialect.ts';
import { listAppliedMigrations, listPendingMigrations } from '#database/migrate.ts';
import { BUILD, describeBuild } from '#runtime/build.ts';
import { timestamp } from '#runtime/clock.ts';
import { hasErrorCode } from '#runtime/failure.ts';
import { findSecretKey } from '#security/key-file.ts';
import { redactText } from '#security/redaction.ts';
import { loadSecretKeyState } from '#settings/secret-key-state.ts';
import { describeKeyProblem } from '#settings/server-key.ts';
import { type CommandOutput, defineCommand } from './command.ts';
import { loadCommandConfig } from './load-config.ts';
import { JSON_OPTION, printJson } from './output.ts';

/** Prints the state of a server and of its dependencies. */
export const statusCommand = defineCommand({
  positionals: [],
  options: JSON_OPTION,
  description: `Prints version and build, database and schema version, secret key, storages and background jobs of a server, which may be running.

Exit code 7: something prevents the server from working; the lines say what.`,
  async run(context, { json }) {
    const config = loadCommandConfig(context);
    const status = await withServer(config, createProgress(context.stderr), readStatus);
    if (json) printJson(context.stdout, status);
    else printStatus(context.stdout, status);
    if (status.problems.length > 0) throw new CommandFailed('unsound', status.problems.join(' '));
  },
});

type Status = Awaited<ReturnType<typeof readStatus>>;

async function readStatus(server: ServerData) {
  const { config, database, clock } = server;
  const pendingMigrations = await listPendingMigrations(database.reader);
  const appliedMigrations = await listAppliedMigrations(database.reader);
  const keyProblem = pendingMigrations.length > 0 ? null : await findKeyProblem(server);
  const directories = await Promise.all(
    Object.entries(listDirectories(config)).map(async ([name, path]) => ({ name, ...(await inspectDirectory(path)) })),
  );
  return {
    ...BUILD,
    server_running: await isServerRunning(server),
    database: {
      engine: database.engine,
      location: config.databaseUrl === null ? join(config.dataDir, 'hearth.sqlite3') : hidePassword(config.databaseUrl),
      bytes: await measureDatabase(server),
      schema_version: appliedMigrations.toSorted().at(-1) ?? null,
      pending_migrations: pendingMigrations.map(({ name }) => name),
    },
    secret_key: keyProblem === null ? 'ok' : 'failed',
    directories,
    queue: pendingMigrations.length > 0 ? null : await countJobs(server, timestamp(clock)),
    problems: [
      ...(pendingMigrations.length > 0 ? ['The database has pending migrations: run hearth migrate.'] : []),
      ...(keyProblem === null ? [] : [keyProblem]),
      ...directories.flatMap(({ problem }) => (problem === null ? [] : [problem])),
    ],
  };
}

async function findKeyProblem({ config, database }: ServerData): Promise<string | null> {
  const state = await loadSecretKeyState(database.reader);
  return state && describeKeyProblem(config, await findSecretKey(config), state);
}

async function isServerRunning({ config, database }: ServerData): Promise<boolean> {
  if (config.databaseUrl === null) return isDataDirectoryLocked(config.dataDir);
  return (await countServerSessions(database.reader)) > 0;
}

/** Returns a URL without its password. */
function hidePassword(text: string): string {
  const url = new URL(text);
  url.password = '';
  return redactText(url.href);
}

async function measureDatabase({ config, database }: ServerData): Promise<number> {
  if (config.databaseUrl === null) return (await stat(join(config.dataDir, 'hearth.sqlite3'))).size;
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    database.reader,
  );
  return rows[0]!.bytes;
}

function listDirectories({ dataDir, storages, blobsDir }: Config): Record<string, string> {
  const storageEntries = Object.entries(storages).map(([name, { path }]) => [`storage ${name}`, path]);
  return { 'data directory': dataDir, ...Object.fromEntries(storageEntries), blobs: blobsDir };
}

interface DirectoryStatus {
  readonly path: string;
  /** Null: the directory cannot be used. */
  readonly free_bytes: number | null;
  readonly problem: string | null;
}

/** Checks a directory. One that does not exist yet is created by the first write. */
async function inspectDirectory(path: string): Promise<DirectoryStatus> {
  try {
    if (!existsSync(path)) await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.R_OK | constants.W_OK);
    const { bavail, bsize } = await statfs(path);
    return { path, free_bytes: bavail * bsize, problem: bavail === 0 ? `The disk of ${path} is full.` : null };
  } catch (error) {
    const reason = hasErrorCode(error, 'EACCES') ? 'permission denied' : (error as Error).message;
    return { path, free_bytes: null, problem: `${path} cannot be used: ${reason}.` };
  }
}

/** Counts the background jobs by state. index: none, because the table is small */
async function countJobs({ database }: ServerData, now: string) {
  const { rows } = await sql<{
    due: number;
    running: number;
    scheduled: number;
    failed: number;
    oldest: string | null;
  }>`
    select
      count(case when state = 'pending' and lease_owner is null and run_at <= ${now} then 1 end) as due,
      count(case when state = 'pending' and lease_owner is not null then 1 end) as running,
      count(case when state = 'pending' and lease_owner is null and run_at > ${now} then 1 end) as scheduled,
      count(case when state = 'dead' then 1 end) as failed,
      min(case when state = 'pending' and lease_owner is null and run_at <= ${now} then run_at end) as oldest
    from background_jobs`.execute(database.reader);
  const { oldest, ...counts } = rows[0]!;
  return { ...counts, oldest_due_at: oldest };
}

function printStatus(output: CommandOutput, { database, directories, queue, ...status }: Status): void {
  const { pending_migrations: pending } = database;
  const lines: [string, string][] = [
    ['Version', describeBuild(status)],
    ['Server', status.server_running ? 'running' : 'not running'],
    ['Database', `${database.engine}, ${database.location}, ${formatBytes(database.bytes)}`],
    ['Schema', `${database.schema_version}${pending.length === 0 ? '' : `, ${pending.length} migrations pending`}`],
    ['Secret key', status.secret_key],
    ...directories.map(({ name, path, free_bytes: free }): [string, string] => [
      name.charAt(0).toUpperCase() + name.slice(1),
      `${path}, ${free === null ? 'cannot be used' : `${formatBytes(free)} free`}`,
    ]),
    ...(queue === null
      ? []
      : [
          [
            'Queue',
            `${queue.due} due, ${queue.running} running, ${queue.scheduled} scheduled, ${queue.failed} failed`,
          ] as [string, string],
        ]),
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  for (const [name, text] of lines) output.write(`${name.padEnd(width)}  ${text}\n`);
}
