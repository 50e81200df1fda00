import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { spawnGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';

const FLAGS = ['-r', '-z', '--name-only', '--no-renames', '--no-ext-diff'];

interface ChangedPathsInput {
  readonly from: string;
  readonly to: string;
  readonly maxPaths: number;
}

/**
 * Returns the paths of files and submodules that differ between two commits, in git's order; null if there are more
 * than `most`. A renamed file gives both its old and its new path.
 */
export async function listChangedPaths(
  git: Git,
  repository: Repository,
  { from, to, maxPaths: most }: ChangedPathsInput,
): Promise<string[] | null> {
  return historyWalkLimiter(git).run(async () => {
    const child = spawnGit(git, repository, 'diff-tree', { flags: FLAGS, args: [from, to] });
    child.stdin.end();
    const paths: string[] = [];
    let incompletePath = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      if (paths.length > most) return;
      const completePaths = (incompletePath + chunk).split('\0');
      incompletePath = completePaths.pop()!;
      for (const path of completePaths) paths.push(path);
      if (paths.length > most) child.kill();
    });
    const exit = await child.done;
    if (paths.length > most) return null;
    if (!exit.ok) throw new GitError('diff-tree', exit.failure);
    return paths;
  }, git);
}
