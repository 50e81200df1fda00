import type { Git } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';

/** A file at which two commits differ; `from`: what it was called before. */
export type ChangedFile =
  | { readonly action: 'created' | 'updated' | 'deleted'; readonly path: string }
  | { readonly action: 'renamed'; readonly path: string; readonly from: string };

const FLAGS = ['-r', '-z', '--name-status', '--no-ext-diff'];
const ACTIONS = { A: 'created', D: 'deleted' } as const;

interface Comparison {
  /** Commits or trees. */
  readonly from: string;
  readonly to: string;
  /** Behind so many nobody reads on. */
  readonly most: number;
  /** Whether git looks for files that have another name now. */
  readonly renames: boolean;
}

/** The files at which two commits or trees differ, in git's order, so many at most; submodules count as files. */
export async function changedFiles(
  git: Git,
  repository: Repository,
  { from, to, most, renames }: Comparison,
): Promise<ChangedFile[]> {
  return walks(git).enter(async () => {
    const flags = [...FLAGS, renames ? '--find-renames' : '--no-renames'];
    const child = stream(git, repository, 'diff-tree', { flags, args: [from, to] });
    child.stdin.end();
    const files: ChangedFile[] = [];
    let rest = '';
    /** What has come of the next file: its letter, and the first of two names. */
    let begun: string[] = [];
    const take = (piece: string) => {
      begun.push(piece);
      const [letter = '', path, other] = begun;
      const isRenamed = letter.startsWith('R');
      if (path === undefined || (isRenamed && other === undefined)) return;
      begun = [];
      const action = ACTIONS[letter as keyof typeof ACTIONS] ?? 'updated';
      files.push(isRenamed ? { action: 'renamed', from: path, path: other as string } : { action, path });
    };
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk: string) => {
      if (files.length >= most) return;
      const pieces = (rest + chunk).split('\0');
      rest = pieces.pop()!;
      for (const piece of pieces) if (files.length < most) take(piece);
      if (files.length >= most) child.kill();
    });
    const ended = await child.done;
    if (!ended.ok && files.length < most) throw new GitFailed('diff-tree', ended.failure);
    return files;
  }, git);
}
