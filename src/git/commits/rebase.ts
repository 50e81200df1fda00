import type { Git } from '../git.ts';
import { writeObject } from '../objects/loose-objects.ts';
import { parseAuthorship } from '../objects/object-parser.ts';
import { readCommit, readObject } from '../objects/object-reader.ts';
import { runOrNullIfOverLimit } from '../process/failures.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';
import { formatSigner, type Signer } from './commit.ts';
import { listCommits } from './commit-log.ts';
import { cherryPick } from './merge.ts';

interface RebaseInput {
  /** The new base. */
  readonly onto: string;
  /** The last commit to rebase. All commits that `onto` does not have are rebased, except merges. */
  readonly head: string;
  /** Committer of the new commits. Authors, author dates and messages do not change. */
  readonly committer: Signer;
  /** Called before each commit. Throws to cancel the rest. */
  readonly checkCancelled: () => void;
}

/** `tooMuch`: the number of commits, their size or the duration exceeds the limits. */
type RebaseResult = { readonly tip: string } | 'conflict' | 'tooMuch';

const MAX_COMMITS = 500;
const MAX_SECONDS = 300;
const MAX_COMMIT_BYTES = 1024 * 1024;

/**
 * Applies commits one after another on top of another commit. Changes that exist already are skipped. All objects are
 * durable when it returns; no branch refers to them yet.
 */
export async function rebase(
  git: Git,
  repository: Repository,
  { onto, head, committer, checkCancelled }: RebaseInput,
): Promise<RebaseResult> {
  const deadlineMs = git.clock.now().getTime() + MAX_SECONDS * 1_000;
  const revisions = { include: [head], exclude: [onto] };
  const options = { revisions, noMerges: true, order: 'topo', limit: MAX_COMMITS + 1 } as const;
  const newestFirst = await runOrNullIfOverLimit(() =>
    historyWalkLimiter(git).run(() => listCommits(git, repository, options), git),
  );
  if (newestFirst === null || newestFirst.length > MAX_COMMITS) return 'tooMuch';
  let tip = onto;
  for (const commit of newestFirst.reverse()) {
    checkCancelled();
    if (git.clock.now().getTime() > deadlineMs) return 'tooMuch';
    const rebased = await rebaseCommit(git, repository, { commit, onto: tip, committer });
    if (typeof rebased === 'string') return rebased;
    tip = rebased.tip;
  }
  return { tip };
}

async function rebaseCommit(
  git: Git,
  repository: Repository,
  { commit, onto, committer }: { readonly commit: string; readonly onto: string; readonly committer: Signer },
): Promise<RebaseResult> {
  const applied = await runOrNullIfOverLimit(() =>
    historyWalkLimiter(git).run(() => cherryPick(git, repository, { commit, onto }), git),
  );
  if (applied === null) return 'tooMuch';
  if ('conflict' in applied) return 'conflict';
  // A change that `onto` already has is skipped; a commit that was empty from the start is rebased as well.
  if ('empty' in applied && !(await isEmptyCommit(git, repository, commit))) return { tip: onto };
  const tree = 'tree' in applied ? applied.tree : (await readCommit(git, repository, onto))!.treeId;
  const content = (await readObject(git, repository, commit, MAX_COMMIT_BYTES))?.content;
  if (content == null) return 'tooMuch';
  const { author, message } = parseAuthorship(content);
  const rebasedContent = Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${onto}\nauthor `),
    author,
    Buffer.from(`\ncommitter ${formatSigner(git, committer)}\n\n`),
    message,
  ]);
  return { tip: await writeObject(git, repository, 'commit', rebasedContent) };
}

/** Returns whether the original commit changes nothing. */
async function isEmptyCommit(git: Git, repository: Repository, id: string): Promise<boolean> {
  const commit = await readCommit(git, repository, id);
  const [parent] = commit?.parentIds ?? [];
  return parent !== undefined && (await readCommit(git, repository, parent))?.treeId === commit?.treeId;
}
