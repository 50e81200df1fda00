import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { validBranchName } from '#git/refs/refs.ts';
import { branchTip } from '#git/refs/revision.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { BranchRow } from './entities.ts';

/** The branch of this name; null when there is none, or can be none. */
export async function findBranch(git: Git, project: Project, name: string): Promise<BranchRow | null> {
  const repository = repositoryOf(git, project);
  const tip = validBranchName(name) ? await branchTip(repository, name) : null;
  const commit = tip === null ? null : await readCommit(git, repository, tip);
  return commit === null ? null : { project, name, commit };
}

/** A branch whose tip is known to be this commit. */
export async function branchAt(git: Git, project: Project, name: string, tip: string): Promise<BranchRow> {
  const commit = await readCommit(git, repositoryOf(git, project), tip);
  if (commit === null) throw new Error(`The tip of the branch ${name} is no commit: ${tip}`);
  return { project, name, commit };
}
