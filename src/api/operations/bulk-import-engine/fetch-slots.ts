import type { Git } from '#git/git.ts';
import { definePerGit } from '#git/git.ts';

/** Fetches at once: each may take 320 MiB for git, and 64 MiB for the refs of its source. */
const SLOTS = 3;

const takenBy = definePerGit(() => new Set<number>());

/**
 * Takes one of the slots of this process for a user, who has one at most: a slow source does not make others wait. Returns the
 * function that releases it; null if there is none.
 */
export function takeFetchSlot(git: Git, userId: number): (() => void) | null {
  const users = takenBy(git);
  if (users.has(userId) || users.size >= SLOTS) return null;
  users.add(userId);
  return () => void users.delete(userId);
}
