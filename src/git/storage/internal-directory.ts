import { join } from 'node:path';
import type { Git } from '../git.ts';

/**
 * Returns the directory of internal files next to the repositories: hooks, and the empty repositories that replace
 * missing ones.
 */
export function getInternalDirectory(git: Git): string {
  const root = git.storages.default ?? Object.values(git.storages)[0]!;
  return join(root, '.hearth');
}
