import { blame, type LineRange } from '#git/commits/blame.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommits } from '#git/objects/object-reader.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { truncateToBytes } from '#text/trim.ts';
import type { BlameRow } from './entities.ts';
import type { FileAtRevision } from './get.ts';

/** Returns the commits of these lines, or of all lines. A submodule has no lines. Fails with `tooLong` if git rejects the blame. */
export async function loadBlame(
  git: Git,
  project: LocatedRepository,
  { commitId, path, isSubmodule: submodule }: FileAtRevision,
  range: LineRange | null | undefined,
): Promise<BlameRow[] | Failure<'tooLong'>> {
  if (submodule) return [];
  const repository = getRepository(git, project);
  const blameResult = await blame(git, repository, commitId, path, range ?? undefined);
  if ('rejected' in blameResult) return fail('tooLong');
  const commits = await readCommits(git, repository, [...new Set(blameResult.groups.map(({ commit }) => commit))]);
  // Messages are truncated, because each group repeats its commit, and one commit may own every other line.
  const maxBytes = Math.max(MIN_MESSAGE_BYTES, Math.floor(MAX_MESSAGES_BYTES / blameResult.groups.length));
  const commitsById = new Map(commits.map((commit) => [commit?.id, commit && truncateMessage(commit, maxBytes)]));
  return blameResult.groups.map(({ commit, lines }) => ({ commit: commitsById.get(commit)!, lines }));
}

/** Maximum total size of all messages in a response. */
const MAX_MESSAGES_BYTES = 32 * 1024 * 1024;
/** Size to which each message may always extend. */
const MIN_MESSAGE_BYTES = 1024;

function truncateMessage(commit: Commit, maxBytes: number): Commit {
  return { ...commit, message: truncateToBytes(commit.message, maxBytes) };
}
