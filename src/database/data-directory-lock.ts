import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The data directory belongs to a server that is running. */
export class DataDirectoryInUse extends Error {
  constructor(file: string) {
    super(`Another server is running on this data directory (it holds ${file})`);
    this.name = 'DataDirectoryInUse';
  }
}

/**
 * Makes this process the only server of its data directory, and returns what gives it up. The lock is the operating
 * system's lock on `hearth.lock`, taken through SQLite: it ends with its process, however that ends, so a leftover file
 * never locks anybody out. CLI commands don't take it.
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
