import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Error for a data directory that another running server uses. */
export class DataDirectoryInUse extends Error {
  constructor(file: string) {
    super(`Another server is running on this data directory (it holds ${file})`);
    this.name = 'DataDirectoryInUse';
  }
}

/**
 * Locks the data directory for this server and returns the function that unlocks it. The lock is an operating system lock on
 * `hearth.lock`, taken through SQLite. It ends with the process, so that a leftover file never blocks a start. CLI commands do
 * not take the lock. Throws DataDirectoryInUse if another process holds it.
 */
export function lockDataDirectory(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'hearth.lock');
  const lockDatabase = new DatabaseSync(file, { timeout: 0 });
  try {
    // Keeps the journal in memory, so that no second file is created.
    lockDatabase.exec('pragma journal_mode = memory; begin exclusive');
  } catch {
    lockDatabase.close();
    throw new DataDirectoryInUse(file);
  }
  return () => lockDatabase.isOpen && lockDatabase.close();
}
