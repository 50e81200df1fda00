import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { isValidRefName } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { getRepository } from '#repositories/repository.ts';
import type { BranchRow } from './entities.ts';

/**
 * Returns the branch of this name, or null if it does not exist. It accepts every name that git accepts, because branches
 * may exist under names that can no longer be created (`-x`).
 */
export async function findBranch(git: Git, project: Project, name: string): Promise<BranchRow | null> {
  const repository = getRepository(git, project);
  const tip = isValidRefName(HEADS + name) ? await findBranchHead(repository, name) : null;
  const commit = tip === null ? null : await readCommit(git, repository, tip);
  return commit === null ? null : { project, name, commit };
}

/** Returns the branch row for a known tip. */
export async function loadBranch(git: Git, project: Project, name: string, tip: string): Promise<BranchRow> {
  const commit = await readCommit(git, getRepository(git, project), tip);
  if (commit === null) throw new Error(`The tip ${tip} of branch ${name} is not a commit`);
  return { project, name, commit };
}
