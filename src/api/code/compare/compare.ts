import { findSharedMergeBase, listCommitsBetween, MAX_COMMITS_BETWEEN } from '#git/commits/commit-log.ts';
import { type Diff, getDiff } from '#git/diff/diff.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommits } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { CommitRow } from '../commits/index.ts';

export interface Comparison {
  readonly project: CommitRow['project'];
  /** The start of the diff: the merge base, or `from` itself if the comparison is straight or there is no merge base. */
  readonly base: string;
  readonly head: string;
  readonly straight: boolean;
  readonly same: boolean;
  /** Commits, oldest first. */
  readonly commits: readonly Commit[];
  readonly diff: Diff;
  /** Whether commits (the oldest) or files were left out. */
  readonly truncated: boolean;
}

interface CompareInput {
  readonly from: string;
  readonly to: string;
  /** Whether to compare with `from` itself instead of the merge base. */
  readonly straight: boolean;
}

/**
 * Returns the commits and changes of `to` that `from` does not have. Names are resolved on each call; the result for
 * two commits is cached.
 */
export async function compareRevisions(
  git: Git,
  project: CommitRow['project'],
  { from, to, straight }: CompareInput,
): Promise<Comparison | Failure<'refUnknown'>> {
  const repository = getRepository(git, project);
  const [start, head] = await Promise.all([from, to].map((name) => resolveRevision(git, repository, name)));
  if (!start || !head) return fail('refUnknown');
  const common = { project, head, straight };
  if (start === head) return { ...common, base: start, same: true, commits: [], diff: NO_DIFF, truncated: false };
  const [ids, diffBase] = await Promise.all([
    listCommitsBetween(git, repository, start, head),
    straight ? start : findSharedMergeBase(git, repository, start, head),
  ]);
  const diff = await getDiff(git, repository, diffBase, head);
  const commits = await readCommits(git, repository, ids.slice(-MAX_COMMITS_BETWEEN), MAX_MESSAGES_BYTES);
  return {
    ...common,
    base: diffBase ?? start,
    same: false,
    commits: commits.filter((commit) => commit !== null),
    diff,
    truncated: ids.length > MAX_COMMITS_BETWEEN || diff.overflow || diff.files.some(({ collapsed }) => collapsed),
  };
}

/** Maximum total size of all commit messages, which are sent in one response. */
const MAX_MESSAGES_BYTES = 2 * 1024 * 1024;

const NO_DIFF: Diff = { files: [], overflow: false };
