import { filterReachable } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { resolveRevisionAtVersion } from '#git/refs/revision.ts';
import { getRefVersion, getRepository, type VersionedRepository } from '#repositories/repository.ts';

/** Returns the tips that are ancestors of the default branch's tip, without the tip itself. */
export async function findMergedTips(
  git: Git,
  project: VersionedRepository,
  tips: readonly string[],
): Promise<ReadonlySet<string>> {
  const repository = getRepository(git, project);
  const defaultTip = await resolveRevisionAtVersion(
    git,
    repository,
    HEADS + project.default_branch,
    getRefVersion(project),
  );
  const otherTips = tips.filter((id) => id !== defaultTip);
  return defaultTip === null || otherTips.length === 0
    ? new Set()
    : filterReachable(git, repository, otherTips, defaultTip);
}
