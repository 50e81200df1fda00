import { findCommonAncestor } from '#git/commits/commits-between.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { CommitRow } from '../commits/index.ts';

type MergeBaseFailure = 'tooFew' | 'unknownRef' | 'unknownRefs' | 'noMergeBase';

/** Returns the best common ancestor of these branches, tags or commits. */
export async function findMergeBase(
  git: Git,
  project: CommitRow['project'],
  refs: readonly string[],
): Promise<CommitRow | Failure<MergeBaseFailure>> {
  if (refs.length < 2) return fail('tooFew');
  const repository = getRepository(git, project);
  const ids = await Promise.all(refs.map((ref) => resolveRevision(git, repository, ref)));
  const unknownRefs = refs.filter((_, index) => ids[index] === null);
  if (unknownRefs.length > 0) {
    return fail(unknownRefs.length === 1 ? 'unknownRef' : 'unknownRefs', { names: unknownRefs.join(', ') });
  }
  const knownIds = ids.filter((id) => id !== null);
  const base = await findCommonAncestor(git, repository, knownIds);
  const commit = base === null ? null : await readCommit(git, repository, base);
  return commit === null ? fail('noMergeBase') : { commit, project };
}
