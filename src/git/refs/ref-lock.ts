import { turnsPerKey } from '#runtime/concurrency-limiter.ts';
import { ownedBy } from '../git.ts';

/** One at a time in a repository moves refs, or removes stale locks, so that two of this process never meet in the locks. */
export const refTurns = ownedBy(() => turnsPerKey({ waiting: 512, retryAfter: 5 }));
