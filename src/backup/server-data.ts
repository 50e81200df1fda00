import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BlobStore, createBlobStore } from '#blobs/index.ts';
import type { Config } from '#config.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { createGit, type Git } from '#git/git.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { CommandFailed } from './command-failed.ts';
import type { Progress } from './progress.ts';
import { hasTables, refuseHalfRestored } from './restore-target.ts';

/** What a server keeps, as these commands see it: beside a server that runs, or where none is. */
export interface Kept {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly git: Git;
  readonly progress: Progress;
}

/** The same where there is a server: nothing is made where there is none. */
export async function withServer<T>(config: Config, progress: Progress, work: (kept: Kept) => Promise<T>): Promise<T> {
  refuseSecondary(config);
  const nowhere = config.databaseUrl === null ? config.dataDir : 'this database';
  const missing = () =>
    new CommandFailed('failed', `There is no server in ${nowhere}: HEARTH_DATA_DIR and HEARTH_DATABASE_URL say where`);
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'hearth.sqlite3'))) throw missing();
  return withKept(config, progress, async (kept) => {
    await refuseHalfRestored(config, kept.database);
    if (!(await hasTables(kept.database))) throw missing();
    return work(kept);
  });
}

/** What a secondary site keeps is named by its primary's rows, and comes from there again. */
export function refuseSecondary({ role }: Config): void {
  if (role === 'primary') return;
  throw new CommandFailed(
    'failed',
    'This is a secondary site (HEARTH_ROLE), which copies its primary: ask for that of the primary',
  );
}

/** Opens what the settings name, and closes it when `work` is done. */
export async function withKept<T>(config: Config, progress: Progress, work: (kept: Kept) => Promise<T>): Promise<T> {
  const clock = systemClock;
  const database = await openDatabase({ url: config.databaseUrl ?? undefined, dataDir: config.dataDir, clock });
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
