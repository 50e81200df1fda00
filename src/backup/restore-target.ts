import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#config.ts';
import { openSnapshot } from '#database/copy.ts';
import type { Database } from '#database/database.ts';
import { syncDirectory } from '#git/storage/storage.ts';
import { GUARDS_DIRECTORY } from '#runtime/deletion-guard.ts';
import { hasErrorCode } from '#runtime/failure.ts';
import { CommandFailed } from './command-failed.ts';

// Target of a restore: an empty data directory and an empty database. A mark file exists from the first written file
// until the database is complete, which is written last in one step. A server does not start on an interrupted restore
// with this mark, and the next restore deletes it.

const MARK_FILE = 'restoring';

/** Files in the data directory that belong to an empty database. */
const DATABASE_FILES = ['hearth.sqlite3', 'hearth.sqlite3-wal', 'hearth.sqlite3-shm'];

type TargetConfig = Pick<Config, 'dataDir' | 'storages' | 'blobsDir'>;

/**
 * Content of the mark: the files that a restore writes outside the database. Stored because the next restore may run with
 * other settings.
 */
interface RestoreMark {
  readonly directories: readonly { readonly path: string; readonly wasThere: boolean }[];
  /** Whether the restore wrote the key into the data directory. */
  readonly key: boolean;
}

/** Throws unless the database has no tables. */
export async function requireEmptyDatabase(database: Database): Promise<void> {
  if (await hasTables(database)) {
    throw new CommandFailed('notEmpty', 'The database is not empty: restore into a new database');
  }
}

/**
 * Throws unless all directories are empty. Deletes the files of an interrupted restore first, and returns whether there
 * were any.
 */
export async function requireEmptyDirectories(config: TargetConfig): Promise<boolean> {
  const wasRestored = await deleteRestoredFiles(config);
  for (const directory of listDirectories(config)) {
    if ((await listNames(directory)).length > 0) {
      throw new CommandFailed('notEmpty', `${directory} is not empty: restore into new directories`);
    }
  }
  return wasRestored;
}

/** Returns whether the database has tables, of any version. */
export async function hasTables(database: Database): Promise<boolean> {
  const snapshot = await openSnapshot(database);
  try {
    return snapshot.tables.length > 0 || snapshot.migrations.length > 0;
  } finally {
    await snapshot.close();
  }
}

/** Writes the mark: before the first file, and again with `includesKey` before the key. */
export async function writeRestoreMark(config: TargetConfig, includesKey = false): Promise<void> {
  const previousMark = await readMark(config.dataDir);
  const directories = await Promise.all(
    listDirectories(config).map(async (path) => ({ path, wasThere: (await stat(path).catch(() => null)) !== null })),
  );
  const mark: RestoreMark = { directories: previousMark?.directories ?? directories, key: includesKey };
  const draftPath = join(config.dataDir, `${MARK_FILE}.draft`);
  const file = await open(draftPath, 'w', 0o600);
  await file.writeFile(JSON.stringify(mark));
  await file.sync().finally(() => file.close());
  await rename(draftPath, join(config.dataDir, MARK_FILE));
  await syncDirectory(config.dataDir);
}

/** Deletes the mark after a complete restore. */
export async function deleteRestoreMark({ dataDir }: Pick<Config, 'dataDir'>): Promise<void> {
  await rm(join(dataDir, MARK_FILE), { force: true });
}

async function readMark(dataDir: string): Promise<RestoreMark | null> {
  try {
    return JSON.parse(await readFile(join(dataDir, MARK_FILE), 'utf8')) as RestoreMark;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Deletes everything that an interrupted restore has written; returns false if there was none. */
export async function deleteRestoredFiles(config: Pick<Config, 'dataDir'>): Promise<boolean> {
  const mark = await readMark(config.dataDir);
  if (mark === null) return false;
  for (const { path, wasThere } of mark.directories) {
    for (const name of await listNames(path)) await rm(join(path, name), { recursive: true, force: true });
    if (!wasThere) await rm(path, { recursive: true, force: true });
  }
  if (mark.key) await rm(join(config.dataDir, 'secret-key'), { force: true });
  await deleteRestoreMark(config);
  return true;
}

/** Deletes the files of a closed SQLite database without tables. */
export async function removeEmptyDatabase({ dataDir }: TargetConfig): Promise<void> {
  for (const name of DATABASE_FILES) await rm(join(dataDir, name), { force: true });
}

/** Throws if a restore was interrupted, so that no server or command creates a new database there. */
export async function requireCompleteRestore(config: Pick<Config, 'dataDir'>, database: Database): Promise<void> {
  if ((await readMark(config.dataDir)) === null) return;
  if (!(await hasTables(database))) {
    throw new CommandFailed('failed', `A restore into ${config.dataDir} was interrupted: run hearth restore again`);
  }
  // The restore was complete, but stopped before it deleted the mark.
  await deleteRestoreMark(config);
}

function listDirectories({ storages, blobsDir }: TargetConfig): string[] {
  return [...Object.values(storages).map(({ path }) => path), blobsDir];
}

/** Directory that some file systems create in their root. */
const LOST_AND_FOUND = 'lost+found';

/** Returns the names in a directory, without those that an unused one may have; empty if it does not exist. */
async function listNames(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name !== GUARDS_DIRECTORY && name !== LOST_AND_FOUND);
}
