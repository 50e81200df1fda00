import { closeSync, existsSync, openSync } from 'node:fs';
import { join, relative } from 'node:path';

// Several processes of one run go through the same test files: each is run by the first that makes a file of its name in
// the directory that they share.

const root = join(import.meta.dirname, '..');

/** Whether this file is now ours to run: nobody has taken it before. */
export function claim(directory: string, file: string): boolean {
  try {
    closeSync(openSync(claimOf(directory, file), 'wx'));
    return true;
  } catch {
    return false;
  }
}

/** Those that nobody has taken, by their paths below the project's root. */
export function unclaimed(directory: string, files: readonly string[]): string[] {
  return files.filter((file) => !existsSync(claimOf(directory, file))).map((file) => relative(root, file));
}

function claimOf(directory: string, file: string): string {
  return join(directory, relative(root, file).replaceAll('/', ' '));
}
