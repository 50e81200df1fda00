import type { Git } from '#git/git.ts';
import { definePerGit } from '#git/git.ts';

/**
 * Maximum number of concurrent fetches of a process. Each index-pack may use 470 MiB; together they stay below 1 GB.
 */
const MAX_CONCURRENT_FETCHES = 2;

/** Time in milliseconds without an attempt after which a user no longer waits. Users try again every few seconds. */
const WAITING_EXPIRY_MS = 30_000;

/** Waiting time in milliseconds after which a user gets the next slot before all users who came later. */
const PRIORITY_DELAY_MS = 60_000;

interface AttemptTimes {
  readonly first: number;
  readonly last: number;
}

interface FetchSlots {
  readonly holders: Set<number>;
  /** Waiting users, in the order of their first attempts. */
  readonly waiting: Map<number, AttemptTimes>;
}

const getSlots = definePerGit<FetchSlots>(() => ({ holders: new Set(), waiting: new Map() }));

interface FetchSlot {
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
  const firstAttempt = waiting.get(userId)?.first ?? now;
  const prioritizedUsers = [...waiting].filter(
    ([user, { first }]) => user !== userId && first < firstAttempt && first <= now - PRIORITY_DELAY_MS,
  );
  // The free slots, if any, are reserved for these users.
  if (prioritizedUsers.length >= MAX_CONCURRENT_FETCHES - holders.size) {
    waiting.set(userId, { first: firstAttempt, last: now });
    return null;
  }
  waiting.delete(userId);
  holders.add(userId);
  return {
    isContended() {
      dropExpired(waiting, git.clock.now().getTime());
      return holders.size >= MAX_CONCURRENT_FETCHES && waiting.size > 0;
    },
    release: () => void holders.delete(userId),
  };
}

/** Removes the users who no longer try to get a slot. */
function dropExpired(waiting: Map<number, AttemptTimes>, now: number): void {
  for (const [user, { last }] of waiting) if (last < now - WAITING_EXPIRY_MS) waiting.delete(user);
}
