import { mergedInto } from '../../../git/ancestry.ts';
import type { Git } from '../../../git/git.ts';
import { HEADS } from '../../../git/names.ts';
import { resolveRevisionAt } from '../../../git/revision.ts';
import { type Placed, refVersion, repositoryOf } from '../../../repositories/repository.ts';

/** Those of these commits that are ancestors of the default branch's tip, and not that tip itself. */
export async function mergedTips(
  git: Git,
  project: Placed & { readonly ref_state_version: number; readonly default_branch: string },
  tips: readonly string[],
): Promise<ReadonlySet<string>> {
  const repository = repositoryOf(git, project);
  const base = await resolveRevisionAt(git, repository, HEADS + project.default_branch, refVersion(project));
  const others = tips.filter((id) => id !== base);
  return base === null || others.length === 0 ? new Set() : mergedInto(git, repository, others, base);
}
