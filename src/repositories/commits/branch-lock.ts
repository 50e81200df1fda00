import { type Git, ownedBy } from '#git/git.ts';
import { turnsPerKey } from '#runtime/concurrency-limiter.ts';
import type { OpenBranch } from '../branches/push-permission.ts';

/** Writers of one branch in this process take turns, so that each sees the tip of the one before; others lose by compare-and-swap. */
const turns = ownedBy(() => turnsPerKey({ waiting: 256, retryAfter: 5 }));

/** The first of an empty repository's branches decides what the others may be, so that they all wait for it. */
export function inBranchTurn<T>(
  git: Git,
  { project, name }: Pick<OpenBranch, 'project' | 'name'>,
  work: () => Promise<T>,
): Promise<T> {
  const inTurn = () => turns(git)(`${project.id} ${name}`, work, git);
  return project.empty ? turns(git)(`${project.id} `, inTurn, git) : inTurn();
}
