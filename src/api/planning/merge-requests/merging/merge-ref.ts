import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { getRepository, isAtLocation } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { compareBranches } from './branch-comparison.ts';
import { mergeTrees } from './merge-commits.ts';

/**
 * Writes the commit that merges both branches, without moving a branch. Its committer and time are those of the later parent commit,
 * so that repeated calls return the same commit. Fails while the repository is read-only.
 */
export async function createMergeRef(
  { git, database }: Pick<RefServices, 'git' | 'database'>,
  project: Project,
  mergeRequest: MergeRequest,
): Promise<{ readonly commit_id: string } | Failure<'notMergeable'>> {
  if (mergeRequest.state !== 'opened' || project.read_only) return fail('notMergeable');
  const { head_sha: head } = mergeRequest;
  const { check, target, base } = await compareBranches(git, project, mergeRequest);
  if (check === 'no_commits' || check === 'conflict' || target === null || base === null) return fail('notMergeable');
  const repository = getRepository(git, project);
  const tree = await mergeTrees(git, { project, target, base }, head);
  if (tree === null) return fail('notMergeable');
  const parentCommits = await Promise.all([target, head].map((id) => readCommit(git, repository, id)));
  const [latestCommitter] = parentCommits
    .flatMap((parent) => parent?.committer ?? [])
    .sort((one, other) => other.seconds - one.seconds);
  const { name = '', email = '', seconds = 0 } = latestCommitter ?? {};
  const signer = { name, email, at: { seconds, offset: '+0000' } };
  const message = `Merge ${head} into ${target}`;
  const commit = { tree, parents: [target, head], author: signer, committer: signer, message };
  const commit_id = await writeCommit(git, repository, commit);
  return (await isAtLocation(database.reader, project)) ? { commit_id } : fail('notMergeable');
}
