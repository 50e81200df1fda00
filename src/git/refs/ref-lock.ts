import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { definePerGit } from '../git.ts';

/**
 * Lock per repository for moving refs and removing stale locks, so that two operations of this process never collide on
 * git's locks.
 */
export const refLocks = definePerGit(() => createKeyedLock({ maxWaiting: 512, retryAfter: 5 }));
