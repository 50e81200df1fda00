import { commitsBetween, MOST_COMMITS_BETWEEN, partingOf } from '#git/commits/commits-between.ts';
import { type Diff, diffBetween } from '#git/diff/diff.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommits } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { CommitRow } from '../commits/index.ts';

export interface Comparison {
  readonly project: CommitRow['project'];
  /** Where the diff begins: the merge base, or `from` itself when the comparison is straight or there is none. */
  readonly base: string;
  readonly head: string;
  readonly straight: boolean;
  readonly same: boolean;
  /** Oldest first. */
  readonly commits: readonly Commit[];
  readonly diff: Diff;
  /** Something was left out, of the commits (the oldest) or of the files. */
  readonly cut: boolean;
}

interface CompareQuestion {
  readonly from: string;
  readonly to: string;
  /** From `from` itself, and not from where the two parted. */
  readonly straight: boolean;
}

/** What `to` has and `from` has not. Names are resolved now; what lies below the two commits is remembered. */
export async function compareRevisions(
  git: Git,
  project: CommitRow['project'],
  { from, to, straight }: CompareQuestion,
): Promise<Comparison | Failure<'refUnknown'>> {
  const repository = repositoryOf(git, project);
  const [start, head] = await Promise.all([from, to].map((name) => resolveRevision(git, repository, name)));
  if (!start || !head) return fail('refUnknown');
  const asked = { project, head, straight };
  if (start === head) return { ...asked, base: start, same: true, commits: [], diff: NO_DIFF, cut: false };
  const [ids, parted] = await Promise.all([
    commitsBetween(git, repository, start, head),
    straight ? start : partingOf(git, repository, start, head),
  ]);
  const diff = await diffBetween(git, repository, parted, head);
  const commits = await readCommits(git, repository, ids.slice(-MOST_COMMITS_BETWEEN), LONGEST_MESSAGES);
  return {
    ...asked,
    base: parted ?? start,
    same: false,
    commits: commits.filter((commit) => commit !== null),
    diff,
    cut: ids.length > MOST_COMMITS_BETWEEN || diff.overflow || diff.files.some(({ collapsed }) => collapsed),
  };
}

/** Bytes of all messages: they go out in one piece. */
const LONGEST_MESSAGES = 2 * 1024 * 1024;

const NO_DIFF: Diff = { files: [], overflow: false };
