import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { MergeCheck } from '#database/tables/merge-requests.ts';
import { countBetween, partingOf } from '#git/commits/commits-between.ts';
import { mergesCleanly } from '#git/commits/merge.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { branchTip } from '#git/refs/revision.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';

/** What git says of the two branches of a merge request at this moment. */
export interface Branches {
  /** The tip of the target branch; null: it is not there. */
  readonly target: string | null;
  /** Where the head parted from it; null: the two have nothing in common, or one of them is not there. */
  readonly base: string | null;
  /** The tip of the source branch, which may have gone on since the merge request heard of it; null: it is not there. */
  readonly source: string | null;
  readonly check: MergeCheck;
}

type Compared = Pick<MergeRequest, 'source_branch' | 'target_branch' | 'head_sha'>;

/** Looks at them: what two tips say together is asked of git once. */
export async function lookAtBranches(git: Git, project: Placed, mergeRequest: Compared): Promise<Branches> {
  const { source_branch, head_sha: head } = mergeRequest;
  const repository = repositoryOf(git, project);
  const source = await branchTip(repository, source_branch);
  const parted = await lookAtTarget(git, project, mergeRequest);
  const { target, base } = parted;
  const found = { source, target, base };
  if (source === null || target === null || !parted.headIsThere || base === head)
    return { ...found, check: 'no_commits' };
  if (base === target) return { ...found, check: 'ahead' };
  // Histories that have nothing in common could be merged, but nobody means to.
  const clean = base !== null && (await mergesCleanly(git, repository, target, head));
  return { ...found, check: clean ? 'diverged' : 'conflict' };
}

/** The tip of the target branch, and where the head parted from it. A head that was imported may not be there. */
export async function lookAtTarget(git: Git, project: Placed, { target_branch, head_sha: head }: Compared) {
  const repository = repositoryOf(git, project);
  const target = await branchTip(repository, target_branch);
  const headIsThere = (await readCommit(git, repository, head)) !== null;
  const base = target !== null && headIsThere ? await partingOf(git, repository, target, head) : null;
  return { target, base, headIsThere };
}

/** How many commits of the target branch the head lacks; none where one of the two is not there. */
export async function countDiverged(git: Git, project: Placed, { target_branch, head_sha: head }: Compared) {
  const repository = repositoryOf(git, project);
  const target = await branchTip(repository, target_branch);
  const bothAreThere = target !== null && (await readCommit(git, repository, head)) !== null;
  return bothAreThere ? countBetween(git, repository, head, target) : 0;
}
