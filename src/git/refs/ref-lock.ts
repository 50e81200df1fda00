import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { definePerGit } from '../git.ts';

/** Lock per repository for ref updates and stale lock removal, so that operations of this process never collide. */
export const refLocks = definePerGit(() => createKeyedLock({ maxWaiting: 512, retryAfterSeconds: 5 }));
