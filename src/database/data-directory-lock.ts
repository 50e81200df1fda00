import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another running server uses the data directory. */
export class DataDirectoryInUse extends Error {
  constructor(file: string) {
    super(`Another server is running on this data directory (it holds ${file})`);
    this.name = 'DataDirectoryInUse';
  }
}

/**
 * Locks the data directory for this server and returns the function that unlocks it. It is an operating system lock on
 * `hearth.lock`, taken through SQLite: it ends with its process, so that a leftover file never blocks a start. CLI commands do
 * not take it.
 */
export function lockDataDirectory(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'hearth.lock');
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch {
    lock.close();
    throw new DataDirectoryInUse(file);
  }
  return () => lock.isOpen && lock.close();
}
