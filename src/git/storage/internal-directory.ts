import { join } from 'node:path';
import type { Git } from '../git.ts';

/** What this room keeps for itself beside the repositories: hooks, and the empty repository that absent ones read as. */
export function ownDirectory(git: Git): string {
  const root = git.storages.default ?? Object.values(git.storages)[0]!;
  return join(root, '.hearth');
}
