import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { MergeCheck } from '#database/schema.ts';
import { countCommitsBetween, findSharedMergeBase } from '#git/commits/commit-log.ts';
import { canMergeCleanly } from '#git/commits/merge.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';

/** The current state of both branches of a merge request in git. */
export interface BranchComparison {
  /** Head of the target branch; null if it does not exist. */
  readonly target: string | null;
  /** Merge base of both branches; null if there is none or a branch does not exist. */
  readonly base: string | null;
  /** Head of the source branch, which may be newer than the stored one; null if it does not exist. */
  readonly source: string | null;
  /** Whether and how the stored head can be merged. */
  readonly check: MergeCheck;
}

/** The columns of a merge request from which its current comparison is computed. */
export type ComparedMergeRequest = Pick<MergeRequest, 'source_branch' | 'target_branch' | 'head_sha'>;

/** Compares source and target branch. Results of git for a pair of commits are cached. */
export async function compareBranches(
  git: Git,
  project: LocatedRepository,
  mergeRequest: ComparedMergeRequest,
): Promise<BranchComparison> {
  const { source_branch, head_sha: head } = mergeRequest;
  const repository = getRepository(git, project);
  const source = await findBranchHead(repository, source_branch);
  const targetComparison = await compareWithTarget(git, project, mergeRequest);
  const { target, base } = targetComparison;
  const heads = { source, target, base };
  if (source === null || target === null || !targetComparison.headExists || base === head)
    return { ...heads, check: 'no_commits' };
  if (base === target) return { ...heads, check: 'ahead' };
  // Unrelated histories could be merged, but that is never intended.
  const isClean = base !== null && (await canMergeCleanly(git, repository, target, head));
  return { ...heads, check: isClean ? 'diverged' : 'conflict' };
}

/** Returns the head of the target branch and the merge base. The head of an imported merge request may not exist. */
export async function compareWithTarget(
  git: Git,
  project: LocatedRepository,
  { target_branch, head_sha: head }: ComparedMergeRequest,
) {
  const repository = getRepository(git, project);
  const target = await findBranchHead(repository, target_branch);
  const headExists = (await readCommit(git, repository, head)) !== null;
  const base = target !== null && headExists ? await findSharedMergeBase(git, repository, target, head) : null;
  return { target, base, headExists };
}

/** Counts the commits of the target branch that the head lacks; 0 if one of them does not exist. */
export async function countDivergedCommits(
  git: Git,
  project: LocatedRepository,
  { target_branch, head_sha: head }: ComparedMergeRequest,
) {
  const repository = getRepository(git, project);
  const target = await findBranchHead(repository, target_branch);
  const bothExist = target !== null && (await readCommit(git, repository, head)) !== null;
  return bothExist ? countCommitsBetween(git, repository, head, target) : 0;
}
