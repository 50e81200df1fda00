import { mergedInto } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { resolveRevisionAt } from '#git/refs/revision.ts';
import { refVersion, repositoryOf, type Versioned } from '#repositories/repository.ts';

/** Those of these commits that are ancestors of the default branch's tip, and not that tip itself. */
export async function mergedTips(git: Git, project: Versioned, tips: readonly string[]): Promise<ReadonlySet<string>> {
  const repository = repositoryOf(git, project);
  const base = await resolveRevisionAt(git, repository, HEADS + project.default_branch, refVersion(project));
  const others = tips.filter((id) => id !== base);
  return base === null || others.length === 0 ? new Set() : mergedInto(git, repository, others, base);
}
