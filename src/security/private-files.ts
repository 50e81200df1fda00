import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

// Hearth's files contain password hashes, keys and private repositories: other users of the machine must not read them.

/**
 * Restricts all files that this process and its children create to its user (0700 and 0600 at most), regardless of the umask
 * at the start.
 */
export function restrictFilePermissions(): void {
  process.umask(0o077);
}

const OTHERS_MASK = 0o077;

/** Lists these directories and their direct entries that other users can access, as paths with permissions. */
export async function listFilesAccessibleByOthers(directories: readonly string[]): Promise<string[]> {
  const accessibleFiles = await Promise.all(directories.map(listAccessibleIn));
  return [...new Set(accessibleFiles.flat())];
}

async function listAccessibleIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  const rights = await Promise.all(
    [directory, ...names.map((name) => join(directory, name))].map(describeWidePermissions),
  );
  return rights.filter((text) => text !== null);
}

/** Returns the path and mode, as in `/data/hearth.sqlite3 (644)`; null if only the owner has access, or if it is missing. */
async function describeWidePermissions(path: string): Promise<string | null> {
  const mode = (await stat(path).catch(() => null))?.mode ?? 0;
  return (mode & OTHERS_MASK) === 0 ? null : `${path} (${(mode & 0o777).toString(8)})`;
}
