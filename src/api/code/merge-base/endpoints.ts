import { findCommonAncestor } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { commaSeparated } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { Commit, type CommitRow } from '../commits/index.ts';

export const getMergeBase = endpoint({
  get: '/projects/:id/repository/merge_base',
  summary: 'Get the merge base of refs',
  description:
    'Returns the newest commit that all given branches, tags or commits have in common. Without a common commit the ' +
    'answer is 404.',
  access: inProjectAllowingAnonymous('read_code'),
  params: { refs: describe(required(commaSeparated(refName)), 'At least two branches, tags or commits.') },
  errors: {
    tooFew: [400, 'Provide at least 2 refs'],
    unknownRef: [400, 'Could not find ref: {names}'],
    unknownRefs: [400, 'Could not find refs: {names}'],
    noMergeBase: [404, '404 Merge Base Not Found'],
  },
  response: ok(Commit),
  read: (_db, { project, params }, git) => findMergeBase(git, project, params.refs),
});

type MergeBaseFailure = 'tooFew' | 'unknownRef' | 'unknownRefs' | 'noMergeBase';

/** Returns the best common ancestor of these branches, tags or commits. */
async function findMergeBase(
  git: Git,
  project: CommitRow['project'],
  refs: readonly string[],
): Promise<CommitRow | Failure<MergeBaseFailure>> {
  if (refs.length < 2) return fail('tooFew');
  const repository = getRepository(git, project);
  const ids = await Promise.all(refs.map((ref) => resolveRevision(git, repository, ref)));
  const unknownRefs = refs.filter((_, index) => ids[index] === null);
  if (unknownRefs.length > 0)
    return fail(unknownRefs.length === 1 ? 'unknownRef' : 'unknownRefs', { names: unknownRefs.join(', ') });
  const knownIds = ids.filter((id) => id !== null);
  const base = await findCommonAncestor(git, repository, knownIds);
  const commit = base === null ? null : await readCommit(git, repository, base);
  return commit === null ? fail('noMergeBase') : { commit, project };
}
