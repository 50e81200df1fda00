import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { spawnGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';

/** A file that differs between two commits. `from` is its previous path. */
export type ChangedFile =
  | { readonly action: 'created' | 'updated' | 'deleted'; readonly path: string }
  | { readonly action: 'renamed'; readonly path: string; readonly from: string };

const FLAGS = ['-r', '-z', '--name-status', '--no-ext-diff'];
const ACTIONS = { A: 'created', D: 'deleted' } as const;

interface Comparison {
  /** Commit or tree id. */
  readonly from: string;
  readonly to: string;
  /** Maximum number of files. */
  readonly maxFiles: number;
  /** Whether git detects renames. */
  readonly renames: boolean;
}

/**
 * Returns the files that differ between two commits or trees, in git's order, at most `maxFiles`. Submodules count as
 * files.
 */
export async function listChangedFiles(
  git: Git,
  repository: Repository,
  { from, to, maxFiles, renames }: Comparison,
): Promise<ChangedFile[]> {
  return historyWalkLimiter(git).run(async () => {
    const flags = [...FLAGS, renames ? '--find-renames' : '--no-renames'];
    const child = spawnGit(git, repository, 'diff-tree', { flags, args: [from, to] });
    child.stdin.end();
    const files: ChangedFile[] = [];
    let incompleteField = '';
    /** Fields of the next file so far: its status letter and the first of two paths. */
    let fields: string[] = [];
    const addField = (field: string) => {
      fields.push(field);
      const [letter = '', path, newPath] = fields;
      const isRenamed = letter.startsWith('R');
      if (path === undefined || (isRenamed && newPath === undefined)) return;
      fields = [];
      const action = ACTIONS[letter as keyof typeof ACTIONS] ?? 'updated';
      files.push(isRenamed ? { action: 'renamed', from: path, path: newPath! } : { action, path });
    };
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      if (files.length >= maxFiles) return;
      const completeFields = (incompleteField + chunk).split('\0');
      incompleteField = completeFields.pop()!;
      for (const field of completeFields) if (files.length < maxFiles) addField(field);
      if (files.length >= maxFiles) child.kill();
    });
    const exit = await child.done;
    if (!exit.ok && files.length < maxFiles) throw new GitError('diff-tree', exit.failure);
    return files;
  }, git);
}

/**
 * Returns the paths of files and submodules that differ between two commits, in git's order; null if there are more
 * than `maxPaths`. A renamed file gives both its old and its new path.
 */
export async function listChangedPaths(
  git: Git,
  repository: Repository,
  { from, to, maxPaths }: { readonly from: string; readonly to: string; readonly maxPaths: number },
): Promise<string[] | null> {
  const files = await listChangedFiles(git, repository, { from, to, maxFiles: maxPaths + 1, renames: false });
  return files.length > maxPaths ? null : files.map(({ path }) => path);
}
