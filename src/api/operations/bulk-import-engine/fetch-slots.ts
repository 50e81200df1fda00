import type { Git } from '#git/git.ts';
import { definePerGit } from '#git/git.ts';

/** Concurrent fetches of a process: index-pack may use 470 MiB for each, so that they stay below 1 GB together. */
const SLOTS = 2;

/** A waiting user tries again every few seconds. Milliseconds after which a user who did not is no longer waiting. */
const WAITING_MS = 30_000;

interface FetchSlots {
  readonly holders: Set<number>;
  /** User -> time of the last attempt, in the order of the first attempts. */
  readonly waiting: Map<number, number>;
}

const getSlots = definePerGit<FetchSlots>(() => ({ holders: new Set(), waiting: new Map() }));

export interface FetchSlot {
  /** Returns whether another user waits for a slot. */
  isContended(): boolean;
  release(): void;
}

/**
 * Takes a slot for a fetch of this user, who has one at most. Users who wait get the next slots in the order in which they came.
 * Returns null if the user has to try again later.
 */
export function takeFetchSlot(git: Git, userId: number): FetchSlot | null {
  const { holders, waiting } = getSlots(git);
  const dropExpired = () => {
    const oldest = git.clock.now().getTime() - WAITING_MS;
    for (const [user, at] of waiting) if (at < oldest) waiting.delete(user);
  };
  if (holders.has(userId)) return null;
  dropExpired();
  const position = [...waiting.keys(), userId].indexOf(userId);
  if (position >= SLOTS - holders.size) {
    waiting.set(userId, git.clock.now().getTime());
    return null;
  }
  waiting.delete(userId);
  holders.add(userId);
  return {
    isContended() {
      dropExpired();
      return holders.size >= SLOTS && waiting.size > 0;
    },
    release: () => void holders.delete(userId),
  };
}
