import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

// What Hearth keeps on disk is its own: hashes of passwords, keys, private repositories. Others on the machine read none of it.

/**
 * From now on whatever this process and its children make is for its user alone, 0700 and 0600 at most, whatever the umask
 * that it was started with.
 */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

const OTHERS = 0o077;

/** Of these directories and of what lies directly in them, what others on this machine may reach: paths with their rights. */
export async function reachableByOthers(directories: readonly string[]): Promise<string[]> {
  const found = await Promise.all(directories.map(reachableIn));
  return [...new Set(found.flat())];
}

async function reachableIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  const rights = await Promise.all([directory, ...names.map((name) => join(directory, name))].map(wideRights));
  return rights.filter((text) => text !== null);
}

/** `/data/hearth.sqlite3 (644)`; null: for its owner alone, or gone. */
async function wideRights(path: string): Promise<string | null> {
  const mode = (await stat(path).catch(() => null))?.mode ?? 0;
  return (mode & OTHERS) === 0 ? null : `${path} (${(mode & 0o777).toString(8)})`;
}
