import type { CommitRow } from '#api/code/commits/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { commitsBetween } from '#git/commits/commits-between.ts';
import { type Diff, diffBetween, wholeDiffBetween } from '#git/diff/diff.ts';
import { patchId, rawDiff } from '#git/diff/raw-diff.ts';
import type { Git } from '#git/git.ts';
import { readCommit, readCommits } from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import { slice } from '#http/lists/in-memory-page.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import { lookAtTarget } from '../merging/branch-comparison.ts';
import { latestVersions } from '../store.ts';

/** What a merge request was compared with when its head or its target came to be what they are (contract/planning.md §3.8 "Versions"). */

/** From where to where: what it changes is from `base` to `head`, its commits are those that `start` has not. */
export interface Span {
  readonly head: string;
  /** The merge base; null: they have nothing in common. */
  readonly base: string | null;
  /** The tip of the target branch then; null: there was none. */
  readonly start: string | null;
}

export interface StoredVersion {
  readonly head_commit_sha: string;
  readonly base_commit_sha: string | null;
  readonly start_commit_sha: string | null;
}

export type Compared = Pick<MergeRequest, 'source_branch' | 'target_branch' | 'head_sha'>;

/** As its latest version tells; of one that nobody has looked into yet, with the target branch as it is now. */
export async function spanOf(
  git: Git,
  project: Placed,
  mergeRequest: Compared,
  version: StoredVersion | undefined,
): Promise<Span> {
  if (version?.start_commit_sha != null) {
    const { head_commit_sha: head, base_commit_sha: base, start_commit_sha: start } = version;
    return { head, base, start };
  }
  const head = version?.head_commit_sha ?? mergeRequest.head_sha;
  const { target: start, base } = await lookAtTarget(git, project, { ...mergeRequest, head_sha: head });
  return { head, base, start };
}

/** Of a merge request that is read alone. */
export async function currentSpan(db: Reader, git: Git, project: Placed, mergeRequest: MergeRequest): Promise<Span> {
  const [version] = await latestVersions(db, [mergeRequest.id]);
  return spanOf(git, project, mergeRequest, version);
}

/** One page of its commits, the newest first; without a target branch it has none. */
export async function commitsOf(
  git: Git,
  project: CommitRow['project'],
  { start, base, head }: Span,
  page: OffsetRequest,
): Promise<Page<CommitRow>> {
  const repository = repositoryOf(git, project);
  const isThere = start !== null && (await readCommit(git, repository, head)) !== null;
  // Where the target branch was pushed over, its tip of then may be gone.
  const from = start !== null && (await readCommit(git, repository, start)) === null ? base : start;
  const ids = isThere && from !== null ? await commitsBetween(git, repository, from, head) : [];
  const { items, ...rest } = slice(ids.toReversed(), page);
  const commits = await readCommits(git, repository, items);
  return { ...rest, items: commits.flatMap((commit) => (commit === null ? [] : [{ commit, project }])) };
}

/** Chosen: of more commits than this, which are shown all at once, the newest are. */
const MOST_AT_ONCE = 1_000;

export async function newestCommitsOf(
  git: Git,
  project: CommitRow['project'],
  span: Span,
): Promise<readonly CommitRow[]> {
  return (await commitsOf(git, project, span, { kind: 'offset', page: 1, perPage: MOST_AT_ONCE })).items;
}

const NOTHING: Diff = { files: [], overflow: false };

/**
 * What changes from one end to the other, `whole` as good as uncut; nothing where the repository has not got the head, or
 * there is nothing to compare it with.
 */
export async function changesOf(git: Git, project: Placed, span: Span, { whole = false } = {}): Promise<Diff> {
  return (await comparedIn(git, project, span, whole ? wholeDiffBetween : diffBetween)) ?? NOTHING;
}

/** The same as git writes it. */
export async function rawChangesOf(git: Git, project: Placed, span: Span): Promise<Buffer> {
  return (await comparedIn(git, project, span, rawDiff)) ?? Buffer.alloc(0);
}

/** What tells changes that are alike; null: nothing is changed. */
export const patchIdOf = (git: Git, project: Placed, span: Span) => comparedIn(git, project, span, patchId);

/** Null where the repository has not got the head, or there is nothing to compare it with. */
async function comparedIn<T>(
  git: Git,
  project: Placed,
  { base, start, head }: Span,
  compare: (git: Git, repository: Repository, from: string | null, to: string) => Promise<T>,
): Promise<T | null> {
  const repository = repositoryOf(git, project);
  if (start === null || (await readCommit(git, repository, head)) === null) return null;
  return compare(git, repository, base, head);
}

/** How many files are changed, as a text. */
export function realSize({ files, overflow }: Diff): string {
  return overflow ? `${files.length}+` : String(files.length);
}

/** Something was left out by the limits of comparisons (contract/repository.md §8). */
export function isCut({ files, overflow }: Diff): boolean {
  return overflow || files.some(({ collapsed }) => collapsed);
}
