import type { Git } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';

const FLAGS = ['-r', '-z', '--name-only', '--no-renames', '--no-ext-diff'];

/**
 * The paths at which two commits differ, files and submodules, in git's order; null when they are more than `most`: nobody
 * reads on then. Of a file that was renamed both its paths.
 */
export async function changedPaths(
  git: Git,
  repository: Repository,
  { from, to, most }: { readonly from: string; readonly to: string; readonly most: number },
): Promise<string[] | null> {
  return walks(git).enter(async () => {
    const child = stream(git, repository, 'diff-tree', { flags: FLAGS, args: [from, to] });
    child.stdin.end();
    const paths: string[] = [];
    let rest = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      if (paths.length > most) return;
      const pieces = (rest + chunk).split('\0');
      rest = pieces.pop()!;
      for (const path of pieces) paths.push(path);
      if (paths.length > most) child.kill();
    });
    const ended = await child.done;
    if (paths.length > most) return null;
    if (!ended.ok) throw new GitFailed('diff-tree', ended.failure);
    return paths;
  }, git);
}
