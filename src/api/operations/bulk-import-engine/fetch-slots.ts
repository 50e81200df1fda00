import type { Git } from '#git/git.ts';
import { definePerGit } from '#git/git.ts';

/** Concurrent fetches of a process: index-pack may use 470 MiB for each, so that they stay below 1 GB together. */
const SLOTS = 2;

/** Milliseconds after which a user who did not try again is no longer waiting; users try again every few seconds. */
const WAITING_MS = 30_000;

/** Milliseconds after which a waiting user gets the next slot before all who came later. */
const PATIENCE_MS = 60_000;

interface Attempts {
  readonly first: number;
  readonly last: number;
}

interface FetchSlots {
  readonly holders: Set<number>;
  /** Waiting users, in the order of their first attempts. */
  readonly waiting: Map<number, Attempts>;
}

const getSlots = definePerGit<FetchSlots>(() => ({ holders: new Set(), waiting: new Map() }));

export interface FetchSlot {
  /** Returns whether another user waits for a slot. */
  isContended(): boolean;
  release(): void;
}

/**
 * Takes a slot for a fetch of this user, who has one at most. Users who have waited for a minute come first. Returns null if the
 * user has to try again later.
 */
export function takeFetchSlot(git: Git, userId: number): FetchSlot | null {
  const { holders, waiting } = getSlots(git);
  if (holders.has(userId)) return null;
  const now = git.clock.now().getTime();
  dropExpired(waiting, now);
  const since = waiting.get(userId)?.first ?? now;
  const earlier = [...waiting].filter(
    ([user, { first }]) => user !== userId && first < since && first <= now - PATIENCE_MS,
  );
  if (earlier.length >= SLOTS - holders.size) {
    waiting.set(userId, { first: since, last: now });
    return null;
  }
  waiting.delete(userId);
  holders.add(userId);
  return {
    isContended() {
      dropExpired(waiting, git.clock.now().getTime());
      return holders.size >= SLOTS && waiting.size > 0;
    },
    release: () => void holders.delete(userId),
  };
}

function dropExpired(waiting: Map<number, Attempts>, now: number): void {
  for (const [user, { last }] of waiting) if (last < now - WAITING_MS) waiting.delete(user);
}
