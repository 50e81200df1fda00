import { blame, type LineRange } from '#git/commits/blame.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommits } from '#git/objects/object-reader.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { firstBytes } from '#text/trim.ts';
import type { BlamedRow } from './entities.ts';
import type { LocatedFile } from './get.ts';

/** Who wrote these lines of a file, or all of them; a submodule has none. */
export async function blamedLines(
  git: Git,
  project: Placed,
  { commitId, path, submodule }: LocatedFile,
  range: LineRange | null | undefined,
): Promise<BlamedRow[] | Failure<'tooLong'>> {
  if (submodule) return [];
  const repository = repositoryOf(git, project);
  const found = await blame(git, repository, commitId, path, range ?? undefined);
  if ('refused' in found) return fail('tooLong');
  const commits = await readCommits(git, repository, [...new Set(found.groups.map(({ commit }) => commit))]);
  // Each group shows its commit, and one commit may have written every other line.
  const most = Math.max(SHORTEST_MESSAGE, Math.floor(LONGEST_TOGETHER / found.groups.length));
  const known = new Map(commits.map((commit) => [commit?.id, commit && shortened(commit, most)]));
  return found.groups.map(({ commit, lines }) => ({ commit: known.get(commit)!, lines }));
}

/** What the messages of an answer hold together, and what is shown of each at least, in bytes. */
const LONGEST_TOGETHER = 32 * 1024 * 1024;
const SHORTEST_MESSAGE = 1024;

function shortened(commit: Commit, most: number): Commit {
  return { ...commit, message: firstBytes(commit.message, most) };
}
