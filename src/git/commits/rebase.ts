import type { Git } from '../git.ts';
import { writeObject } from '../objects/loose-objects.ts';
import { authorship } from '../objects/object-parser.ts';
import { readCommit, readObject } from '../objects/object-reader.ts';
import { unlessOverLimit } from '../process/failures.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';
import { formatSigner, type Signer } from './commit.ts';
import { listCommits } from './commit-log.ts';
import { cherryPick } from './merge.ts';

export interface Rebase {
  /** What shall be below. */
  readonly onto: string;
  /** The last of the commits that are made again: all that `onto` has not, but for merges. */
  readonly head: string;
  /** Who makes them again; authors, their dates and messages stay. */
  readonly committer: Signer;
  /** Asked before each commit; throws when the rest is not to be done. */
  readonly goOn: () => void;
}

/** `tooMuch`: more commits, larger ones or more time than one rebase may take. */
type Rebased = { readonly tip: string } | 'conflict' | 'tooMuch';

const MOST_COMMITS = 500;
const MOST_SECONDS = 300;
const LARGEST_COMMIT = 1024 * 1024;

/**
 * Makes the changes of commits again, one after another on top of another commit. What is there already is left out. All
 * objects are durable when it returns, and no branch has them yet.
 */
export async function rebase(
  git: Git,
  repository: Repository,
  { onto, head, committer, goOn }: Rebase,
): Promise<Rebased> {
  const until = git.clock.now().getTime() + MOST_SECONDS * 1_000;
  const revisions = { include: [head], exclude: [onto] };
  const options = { revisions, noMerges: true, order: 'topo', limit: MOST_COMMITS + 1 } as const;
  const newestFirst = await unlessOverLimit(() => walks(git).enter(() => listCommits(git, repository, options), git));
  if (newestFirst === null || newestFirst.length > MOST_COMMITS) return 'tooMuch';
  let tip = onto;
  for (const commit of newestFirst.reverse()) {
    goOn();
    if (git.clock.now().getTime() > until) return 'tooMuch';
    const made = await makeAgain(git, repository, { commit, onto: tip, committer });
    if (typeof made === 'string') return made;
    tip = made.tip;
  }
  return { tip };
}

interface Again {
  readonly commit: string;
  readonly onto: string;
  readonly committer: Signer;
}

async function makeAgain(git: Git, repository: Repository, { commit, onto, committer }: Again): Promise<Rebased> {
  const applied = await unlessOverLimit(() =>
    walks(git).enter(() => cherryPick(git, repository, { commit, onto }), git),
  );
  if (applied === null) return 'tooMuch';
  if ('conflict' in applied) return 'conflict';
  if ('empty' in applied && !(await isEmpty(git, repository, commit))) return { tip: onto };
  const tree = 'tree' in applied ? applied.tree : (await readCommit(git, repository, onto))!.treeId;
  const content = (await readObject(git, repository, commit, LARGEST_COMMIT))?.content;
  if (content == null) return 'tooMuch';
  const { author, message } = authorship(content);
  const again = Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${onto}\nauthor `),
    author,
    Buffer.from(`\ncommitter ${formatSigner(git, committer)}\n\n`),
    message,
  ]);
  return { tip: await writeObject(git, repository, 'commit', again) };
}

/** It was meant to change nothing. */
async function isEmpty(git: Git, repository: Repository, id: string): Promise<boolean> {
  const commit = await readCommit(git, repository, id);
  const [parent] = commit?.parentIds ?? [];
  return parent !== undefined && (await readCommit(git, repository, parent))?.treeId === commit?.treeId;
}
