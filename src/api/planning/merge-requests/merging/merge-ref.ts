import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { isStillAt, repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { lookAtBranches } from './branch-comparison.ts';
import { mergedTree } from './merge-commits.ts';

/**
 * The commit that brings the two branches together as they are now, which no branch gets: asked twice it is the same one,
 * made by whoever committed last on either side. While the repository is read-only it can't be written.
 */
export async function tryMerge(
  { git, database }: Pick<RefServices, 'git' | 'database'>,
  project: Project,
  mergeRequest: MergeRequest,
): Promise<{ readonly commit_id: string } | Failure<'notMergeable'>> {
  if (mergeRequest.state !== 'opened' || project.read_only) return fail('notMergeable');
  const { head_sha: head } = mergeRequest;
  const { check, target, base } = await lookAtBranches(git, project, mergeRequest);
  if (check === 'no_commits' || check === 'conflict' || target === null || base === null) return fail('notMergeable');
  const repository = repositoryOf(git, project);
  const tree = await mergedTree(git, { project, target, base }, head);
  if (tree === null) return fail('notMergeable');
  const sides = await Promise.all([target, head].map((id) => readCommit(git, repository, id)));
  const [last] = sides.flatMap((side) => side?.committer ?? []).sort((one, other) => other.seconds - one.seconds);
  const { name = '', email = '', seconds = 0 } = last ?? {};
  const signer = { name, email, at: { seconds, offset: '+0000' } };
  const message = `Merge ${head} into ${target}`;
  const commit = { tree, parents: [target, head], author: signer, committer: signer, message };
  const commit_id = await writeCommit(git, repository, commit);
  return (await isStillAt(database.reader, project)) ? { commit_id } : fail('notMergeable');
}
