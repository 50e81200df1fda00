import type { Config } from '#config.ts';
import type { Services } from '#http/services.ts';

/**
 * Ids of the jobs that this process is assigning, by the configuration of the server. Concurrent requests compete for
 * the first pending job; a request skips a locked job instead of waiting.
 */
const LOCKED_JOB_IDS = new WeakMap<Config, Set<number>>();

/** Runs `task` while the job is locked. Returns 'locked' if another request has locked it already. */
export async function withAssignmentLock<T>(
  { config }: Pick<Services, 'config'>,
  id: number,
  task: () => Promise<T>,
): Promise<T | 'locked'> {
  const lockedIds = LOCKED_JOB_IDS.get(config) ?? new Set();
  LOCKED_JOB_IDS.set(config, lockedIds);
  if (lockedIds.has(id)) return 'locked';
  lockedIds.add(id);
  try {
    return await task();
  } finally {
    lockedIds.delete(id);
  }
}
