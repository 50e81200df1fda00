import type { Diff } from '#git/diff/diff.ts';
import type { Git } from '#git/git.ts';
import { unlessOverLimit } from '#git/process/failures.ts';
import type { Placed } from '#repositories/repository.ts';
import { type Compared, changesOf, isCut, patchIdOf, realSize, type StoredVersion, spanOf } from './versions.ts';

/** What is kept of what a version changes, once somebody has looked. */
export interface Described {
  readonly base_commit_sha: string | null;
  readonly start_commit_sha: string | null;
  readonly state: 'empty' | 'collected' | 'overflow';
  /** How many files are changed, as a text; null: more than git may list. */
  readonly real_size: string | null;
  readonly patch_id_sha: string | null;
}

/** Null while its target branch is not there, or where git could not tell in time. */
export async function describe(
  git: Git,
  project: Placed,
  mergeRequest: Compared,
  version: StoredVersion,
): Promise<Described | null> {
  const span = await unlessOverLimit(() => spanOf(git, project, mergeRequest, version));
  if (span === null || span.start === null) return null;
  const diff = await unlessOverLimit(() => changesOf(git, project, span));
  const patch_id_sha = await unlessOverLimit(() => patchIdOf(git, project, span));
  return { base_commit_sha: span.base, start_commit_sha: span.start, ...sizeOf(diff), patch_id_sha };
}

function sizeOf(diff: Diff | null): Pick<Described, 'state' | 'real_size'> {
  if (diff === null) return { state: 'overflow', real_size: null };
  const state = isCut(diff) ? 'overflow' : diff.files.length === 0 ? 'empty' : 'collected';
  return { state, real_size: realSize(diff) };
}
