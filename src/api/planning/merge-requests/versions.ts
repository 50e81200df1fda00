import type { CommitRow } from '#api/code/commits/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Columns, Reader } from '#database/database.ts';
import { listCommitsBetween } from '#git/commits/commit-log.ts';
import { computePatchId, type Diff, getDiff, getFullDiff } from '#git/diff/diff.ts';
import type { Git } from '#git/git.ts';
import { readCommit, readCommits } from '#git/objects/object-reader.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import type { Repository } from '#git/repository.ts';
import { type ListPage, type OffsetRequest, paginateInMemory } from '#http/lists/pagination.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { type ComparedMergeRequest, compareWithTarget } from './merging/branch-comparison.ts';
import { loadLatestVersions } from './store.ts';

// Comparisons of a merge request with its target branch, one for each version (contract/planning.md §3.8 "Versions").

/** The diff is from `base` to `head`; the commits are those of `head` that `start` lacks. */
export interface VersionComparison {
  readonly head: string;
  /** Merge base; null if there is none. */
  readonly base: string | null;
  /** Head of the target branch at that time; null if it did not exist. */
  readonly start: string | null;
}

/** Stored comparison of a version; `start_commit_sha` is null until the version has been compared. */
type VersionShas = Columns<'merge_request_versions', 'head_commit_sha' | 'base_commit_sha' | 'start_commit_sha'>;

/** Returns the stored comparison of a version, else compares with the current target branch. */
export async function resolveComparison(
  git: Git,
  project: LocatedRepository,
  mergeRequest: ComparedMergeRequest,
  version: VersionShas | undefined,
): Promise<VersionComparison> {
  if (version?.start_commit_sha != null) {
    const { head_commit_sha: head, base_commit_sha: base, start_commit_sha: start } = version;
    return { head, base, start };
  }
  const head = version?.head_commit_sha ?? mergeRequest.head_sha;
  const { target: start, base } = await compareWithTarget(git, project, { ...mergeRequest, head_sha: head });
  return { head, base, start };
}

/** Loads the comparison of the latest version. */
export async function loadCurrentComparison(
  db: Reader,
  git: Git,
  project: LocatedRepository,
  mergeRequest: MergeRequest,
): Promise<VersionComparison> {
  const [version] = await loadLatestVersions(db, [mergeRequest.id]);
  return resolveComparison(git, project, mergeRequest, version);
}

/** Returns a page of the commits, newest first; none without a target branch. */
export async function listComparisonCommits(
  git: Git,
  project: CommitRow['project'],
  { start, base, head }: VersionComparison,
  page: OffsetRequest,
): Promise<ListPage<CommitRow>> {
  const repository = getRepository(git, project);
  const headExists = start !== null && (await readCommit(git, repository, head)) !== null;
  // After a force push to the target branch, its former head may not exist any more: then the merge base replaces it.
  const baseCommitId = start !== null && (await readCommit(git, repository, start)) === null ? base : start;
  const ids = headExists && baseCommitId !== null ? await listCommitsBetween(git, repository, baseCommitId, head) : [];
  const { items, ...rest } = paginateInMemory(ids.toReversed(), page);
  const commits = await readCommits(git, repository, items);
  return { ...rest, items: commits.flatMap((commit) => (commit === null ? [] : [{ commit, project }])) };
}

/** Maximum number of commits in a list without pages. */
const MAX_COMMITS = 1_000;

/** Returns at most `MAX_COMMITS` commits of a comparison, newest first. */
export async function listNewestCommits(
  git: Git,
  project: CommitRow['project'],
  comparison: VersionComparison,
): Promise<readonly CommitRow[]> {
  return (await listComparisonCommits(git, project, comparison, { kind: 'offset', page: 1, perPage: MAX_COMMITS }))
    .items;
}

const EMPTY_DIFF: Diff = { files: [], overflow: false };

/**
 * Returns the diff of a comparison; with `whole` the limits are much higher. Empty if the head or the target branch does not exist.
 */
export async function diffComparison(
  git: Git,
  project: LocatedRepository,
  comparison: VersionComparison,
  { whole = false } = {},
): Promise<Diff> {
  return (await withComparedCommits(git, project, comparison, whole ? getFullDiff : getDiff)) ?? EMPTY_DIFF;
}

/** Returns the commits between which the changes are; `to` is null if the head or the target branch does not exist. */
export async function findDiffCommits(
  git: Git,
  project: LocatedRepository,
  comparison: VersionComparison,
): Promise<{ readonly from: string | null; readonly to: string | null }> {
  const commits = await withComparedCommits(git, project, comparison, async (_git, _repository, from, to) => ({
    from,
    to,
  }));
  return commits ?? { from: null, to: null };
}

/** Returns the patch id, or null if nothing is changed. */
const readPatchId = (git: Git, project: LocatedRepository, comparison: VersionComparison) =>
  withComparedCommits(git, project, comparison, computePatchId);

/** Calls `compare` with both commits of the comparison. Returns null if the head or the target branch does not exist. */
async function withComparedCommits<T>(
  git: Git,
  project: LocatedRepository,
  { base, start, head }: VersionComparison,
  compare: (git: Git, repository: Repository, from: string | null, to: string) => Promise<T>,
): Promise<T | null> {
  const repository = getRepository(git, project);
  if (start === null || (await readCommit(git, repository, head)) === null) return null;
  return compare(git, repository, base, head);
}

/** Formats the number of changed files; `+` follows if limits cut the list of files. */
export function formatFileCount({ files, overflow }: Diff): string {
  return overflow ? `${files.length}+` : String(files.length);
}

/** Returns whether the limits of comparisons cut the diff (contract/repository.md §8). */
export function isTruncated({ files, overflow }: Diff): boolean {
  return overflow || files.some(({ collapsed }) => collapsed);
}

/** Stored summary of the changes of a version. */
export interface VersionSummary {
  readonly base_commit_sha: string | null;
  readonly start_commit_sha: string | null;
  readonly state: 'empty' | 'collected' | 'overflow';
  /** Number of changed files, as a string; null if git exceeded its limits. */
  readonly real_size: string | null;
  readonly patch_id_sha: string | null;
}

/** Computes the summary. Returns null if the target branch does not exist or git exceeds its limits. */
export async function summarizeVersion(
  git: Git,
  project: LocatedRepository,
  mergeRequest: ComparedMergeRequest,
  version: VersionShas,
): Promise<VersionSummary | null> {
  const comparison = await runOrNullIfOverLimit(() => resolveComparison(git, project, mergeRequest, version));
  if (comparison === null || comparison.start === null) return null;
  const diff = await runOrNullIfOverLimit(() => diffComparison(git, project, comparison));
  const patch_id_sha = await runOrNullIfOverLimit(() => readPatchId(git, project, comparison));
  return { base_commit_sha: comparison.base, start_commit_sha: comparison.start, ...summarizeSize(diff), patch_id_sha };
}

function summarizeSize(diff: Diff | null): Pick<VersionSummary, 'state' | 'real_size'> {
  if (diff === null) return { state: 'overflow', real_size: null };
  const state = isTruncated(diff) ? 'overflow' : diff.files.length === 0 ? 'empty' : 'collected';
  return { state, real_size: formatFileCount(diff) };
}
