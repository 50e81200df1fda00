import { partingOf } from '../../../git/between.ts';
import type { Git } from '../../../git/git.ts';
import { branchTip } from '../../../git/revision.ts';
import { type Placed, repositoryOf } from '../../../repositories/repository.ts';

/** The tips of both branches at this moment, and where they parted; null: there is none. */
export interface Tips {
  readonly head: string | null;
  readonly start: string | null;
  readonly base: string | null;
}

export async function tipsOf(
  git: Git,
  project: Placed,
  { source, target }: { readonly source: string; readonly target: string },
): Promise<Tips> {
  const repository = repositoryOf(git, project);
  const [head, start] = await Promise.all([branchTip(repository, source), branchTip(repository, target)]);
  return { head, start, base: head && start && (await partingOf(git, repository, start, head)) };
}
