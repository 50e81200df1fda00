import { closeSync, existsSync, openSync } from 'node:fs';
import { join, relative } from 'node:path';

// Several processes of one run share the test files: a file is run by the first process that creates its claim file in a shared
// directory.

const root = join(import.meta.dirname, '..');

/** Claims a test file for this process. Returns false if another process has claimed it. */
export function claimFile(directory: string, file: string): boolean {
  try {
    closeSync(openSync(toClaimPath(directory, file), 'wx'));
    return true;
  } catch {
    return false;
  }
}

/** Returns the files that no process has claimed, as paths relative to the project's root. */
export function listUnclaimedFiles(directory: string, files: readonly string[]): string[] {
  return files.filter((file) => !existsSync(toClaimPath(directory, file))).map((file) => relative(root, file));
}

function toClaimPath(directory: string, file: string): string {
  return join(directory, relative(root, file).replaceAll('/', ' '));
}
