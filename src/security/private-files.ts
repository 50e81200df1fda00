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

/** Permission bits of the group and of others. */
const OTHERS_MASK = 0o077;

/** Returns which of these directories and their direct entries other users can access, as paths with permissions. */
export async function listFilesAccessibleByOthers(directories: readonly string[]): Promise<string[]> {
  const accessibleFiles = await Promise.all(directories.map(listAccessibleEntries));
  return [...new Set(accessibleFiles.flat())];
}

async function listAccessibleEntries(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  const widePermissions = await Promise.all(
    [directory, ...names.map((name) => join(directory, name))].map(describeWidePermissions),
  );
  return widePermissions.filter((text) => text !== null);
}

/** Returns the path and mode, as in `/data/hearth.sqlite3 (644)`; null if only the owner has access, or if it is missing. */
async function describeWidePermissions(path: string): Promise<string | null> {
  const mode = (await stat(path).catch(() => null))?.mode ?? 0;
  return (mode & OTHERS_MASK) === 0 ? null : `${path} (${(mode & 0o777).toString(8)})`;
}
