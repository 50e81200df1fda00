import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#config.ts';
import { openSnapshot } from '#database/copy.ts';
import type { Database } from '#database/database.ts';
import { syncDirectory } from '#git/storage/storage.ts';
import { HOLDS } from '#runtime/deletion-guard.ts';
import { CommandFailed } from './command-failed.ts';

/**
 * Where an archive is restored: a data directory and a database in which nothing is yet. A mark stands there from the first
 * file until the database, which comes at once and last, is whole: what a restore that was killed has left is known by it, is
 * served by nobody, and is removed by the next one.
 */

const MARK = 'restoring';

/** Of the data directory: what belongs to a database that holds nothing. */
const DATABASE_FILES = ['hearth.sqlite3', 'hearth.sqlite3-wal', 'hearth.sqlite3-shm'];

type Places = Pick<Config, 'dataDir' | 'storages' | 'blobsDir'>;

/** What a restore writes besides the database: kept in the mark, because the next one may be run with other settings. */
interface Mark {
  readonly directories: readonly { readonly path: string; readonly wasThere: boolean }[];
  /** The data directory was given the key of the archive. */
  readonly key: boolean;
}

export async function expectEmptyDatabase(database: Database): Promise<void> {
  if (await hasTables(database)) {
    throw new CommandFailed('notEmpty', 'The database is not empty: an archive is restored into a new one');
  }
}

/** Refuses a server that has anything. What a restore that was killed has left is removed, and true is returned. */
export async function expectEmptyDirectories(config: Places): Promise<boolean> {
  const left = await removeRestored(config);
  for (const directory of directoriesOf(config)) {
    if ((await namesIn(directory)).length > 0) {
      throw new CommandFailed('notEmpty', `${directory} is not empty: an archive is restored into new directories`);
    }
  }
  return left;
}

/** Whether it is a server's, be it of another version. */
export async function hasTables(database: Database): Promise<boolean> {
  const snapshot = await openSnapshot(database);
  try {
    return snapshot.tables.length > 0 || snapshot.migrations.length > 0;
  } finally {
    await snapshot.close();
  }
}

/** Before the first file is written; again with `key` before the key is. */
export async function markRestoring(config: Places, key = false): Promise<void> {
  const before = await markIn(config.dataDir);
  const directories = await Promise.all(
    directoriesOf(config).map(async (path) => ({ path, wasThere: (await stat(path).catch(() => null)) !== null })),
  );
  const mark: Mark = { directories: before?.directories ?? directories, key };
  const draft = join(config.dataDir, `${MARK}.draft`);
  const file = await open(draft, 'w', 0o600);
  await file.writeFile(JSON.stringify(mark));
  await file.sync().finally(() => file.close());
  await rename(draft, join(config.dataDir, MARK));
  await syncDirectory(config.dataDir);
}

/** When all is there. */
export async function unmark({ dataDir }: Pick<Config, 'dataDir'>): Promise<void> {
  await rm(join(dataDir, MARK), { force: true });
}

async function markIn(dataDir: string): Promise<Mark | null> {
  try {
    return JSON.parse(await readFile(join(dataDir, MARK), 'utf8')) as Mark;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Takes away all that a restore has written, whose database holds nothing; false: there was none. */
export async function removeRestored(config: Pick<Config, 'dataDir'>): Promise<boolean> {
  const mark = await markIn(config.dataDir);
  if (mark === null) return false;
  for (const { path, wasThere } of mark.directories) {
    for (const name of await namesIn(path)) await rm(join(path, name), { recursive: true, force: true });
    if (!wasThere) await rm(path, { recursive: true, force: true });
  }
  if (mark.key) await rm(join(config.dataDir, 'secret-key'), { force: true });
  await unmark(config);
  return true;
}

/** Of SQLite, once it is closed: a database without tables is a file all the same. */
export async function removeEmptyDatabase({ dataDir }: Places): Promise<void> {
  for (const name of DATABASE_FILES) await rm(join(dataDir, name), { force: true });
}

/** Before a server, or another command, makes a database there: one that was to be restored must not begin as a new one. */
export async function refuseHalfRestored(config: Pick<Config, 'dataDir'>, database: Database): Promise<void> {
  if ((await markIn(config.dataDir)) === null) return;
  if (!(await hasTables(database))) {
    throw new CommandFailed('failed', `A restore into ${config.dataDir} was broken off: run hearth restore again`);
  }
  // Its last step was done, and it died before it could say so.
  await unmark(config);
}

function directoriesOf({ storages, blobsDir }: Places): string[] {
  return [...Object.values(storages).map(({ path }) => path), blobsDir];
}

/** Stands at the top of every file system of some kinds, whatever is in it. */
const OF_FILE_SYSTEMS = 'lost+found';

async function namesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name !== HOLDS && name !== OF_FILE_SYSTEMS);
}
