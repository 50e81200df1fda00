import { definePerGit, type Git } from '#git/git.ts';
import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import type { PushableBranch } from '../branches/push-permission.ts';

/**
 * Locks by branch for writers of this process, so that each writer starts from the commit of the previous one. Between
 * processes the compare-and-swap of the ref decides: the later writer fails.
 */
const branchLocks = definePerGit(() => createKeyedLock({ maxWaiting: 256, retryAfterSeconds: 5 }));

/**
 * Runs `work` while holding the lock of a branch. In an empty repository all branches share a lock, because the first
 * branch decides what the others may be.
 */
export function withBranchLock<T>(
  git: Git,
  { project, name }: Pick<PushableBranch, 'project' | 'name'>,
  work: () => Promise<T>,
): Promise<T> {
  const runLocked = () => branchLocks(git)(`${project.id} ${name}`, work, git);
  return project.empty ? branchLocks(git)(`${project.id} `, runLocked, git) : runLocked();
}
