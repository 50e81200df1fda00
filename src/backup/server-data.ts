import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BlobStore, createBlobStore } from '#blobs/store.ts';
import type { Config } from '#config.ts';
import { openSnapshot } from '#database/copy.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { findVersionMismatch } from '#database/migrate.ts';
import { createGit, type Git } from '#git/git.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { CommandFailed } from './command-failed.ts';
import type { Progress } from './progress.ts';
import { hasTables, requireCompleteRestore } from './restore-target.ts';

/** The data of a server for commands, which may run in parallel to the server. */
export interface ServerData {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly git: Git;
  readonly progress: Progress;
}

/** Opens the data of an existing server and runs `work`. Throws if there is none, and creates nothing then. */
export async function withServer<T>(
  config: Config,
  progress: Progress,
  work: (server: ServerData) => Promise<T>,
): Promise<T> {
  requirePrimary(config);
  const location = config.databaseUrl === null ? config.dataDir : 'this database';
  const createNotFoundError = () =>
    new CommandFailed('failed', `No server found in ${location}: set HEARTH_DATA_DIR and HEARTH_DATABASE_URL`);
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'hearth.sqlite3'))) throw createNotFoundError();
  return withServerData(config, progress, async (server) => {
    await requireCompleteRestore(config, server.database);
    if (!(await hasTables(server.database))) throw createNotFoundError();
    await requireKnownSchema(server.database);
    return work(server);
  });
}

/** Throws if another version created the database, which this one would not copy or check correctly. */
async function requireKnownSchema(database: Database): Promise<void> {
  const snapshot = await openSnapshot(database);
  const mismatch = findVersionMismatch('The database', snapshot.migrations);
  await snapshot.close();
  if (mismatch !== null) throw new CommandFailed('failed', mismatch.message);
}

/** Throws on a secondary site, which can copy its data from the primary again. */
export function requirePrimary({ role }: Config): void {
  if (role === 'primary') return;
  throw new CommandFailed(
    'failed',
    'This is a secondary site (HEARTH_ROLE), which copies its primary: run this command on the primary',
  );
}

/** Opens the data of the configured server, runs `work` and closes everything. */
export async function withServerData<T>(
  config: Config,
  progress: Progress,
  work: (server: ServerData) => Promise<T>,
): Promise<T> {
  const clock = systemClock;
  const database = await openDatabase({
    url: config.databaseUrl ?? undefined,
    dataDir: config.dataDir,
    clock,
    applicationName: 'hearth-command',
  });
  const storages = Object.fromEntries(Object.entries(config.storages).map(([name, { path }]) => [name, path]));
  const git = createGit({ storages, clock });
  try {
    return await work({
      config,
      clock,
      database,
      blobs: createBlobStore({ directory: config.blobsDir, clock }),
      git,
      progress,
    });
  } finally {
    await git.close();
    await database.close();
  }
}
