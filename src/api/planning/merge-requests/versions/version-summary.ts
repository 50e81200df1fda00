import type { Diff } from '#git/diff/diff.ts';
import type { Git } from '#git/git.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import type { LocatedRepository } from '#repositories/repository.ts';
import {
  type ComparedMergeRequestRow,
  diffComparison,
  formatFileCount,
  isTruncated,
  readPatchId,
  resolveComparison,
  type VersionShas,
} from './versions.ts';

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
  mergeRequest: ComparedMergeRequestRow,
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
