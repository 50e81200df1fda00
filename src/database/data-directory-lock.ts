import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './engines/sqlite/connection.ts';

/** Error for a data directory that another running server uses. */
export class DataDirectoryInUse extends Error {
  constructor(dataDir: string) {
    super(`A server is running on ${dataDir}. Stop it first, or set HEARTH_DATA_DIR to another directory.`);
    this.name = 'DataDirectoryInUse';
  }
}

/**
 * Locks the data directory for this server and returns the function that unlocks it. The lock is an operating system lock
 * on `hearth.lock`, taken through SQLite. It ends with the process, so that a leftover file never blocks a start. The only
 * command that takes the lock is the rotation of the secret key. Throws DataDirectoryInUse if another process holds it.
 */
export function lockDataDirectory(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'hearth.lock');
  const lockDatabase = new DatabaseSync(file, { timeout: 0 });
  try {
    // Keeps the journal in memory, so that no second file is created.
    lockDatabase.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lockDatabase.close();
    throw isBusy(error) ? new DataDirectoryInUse(dataDir) : error;
  }
  return () => lockDatabase.isOpen && lockDatabase.close();
}

/** Returns whether a server runs on this data directory. */
export function isDataDirectoryLocked(dataDir: string): boolean {
  const file = join(dataDir, 'hearth.lock');
  if (!existsSync(file)) return false;
  const lockDatabase = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    lockDatabase.exec('select 1 from sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lockDatabase.close();
  }
}
