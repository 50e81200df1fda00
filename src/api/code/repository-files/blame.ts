import { blame, type LineRange } from '../../../git/blame.ts';
import type { Git } from '../../../git/git.ts';
import { readCommits } from '../../../git/objects.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type Placed, repositoryOf } from '../../../repositories/repository.ts';
import type { BlamedRow } from './entities.ts';
import type { LocatedFile } from './locate.ts';

/** Who wrote these lines of a file, or all of them; a submodule has none. */
export async function blamedLines(
  git: Git,
  project: Placed,
  { commitId, path, submodule }: LocatedFile,
  range: LineRange | null | undefined,
): Promise<BlamedRow[] | Refused<'tooLong'>> {
  if (submodule) return [];
  const repository = repositoryOf(git, project);
  const found = await blame(git, repository, commitId, path, range ?? undefined);
  if ('refused' in found) return refused('tooLong');
  const commits = await readCommits(git, repository, [...new Set(found.groups.map(({ commit }) => commit))]);
  const known = new Map(commits.map((commit) => [commit?.id, commit]));
  return found.groups.map(({ commit, lines }) => ({ commit: known.get(commit)!, lines }));
}
