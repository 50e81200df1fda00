import type { Config } from '#config.ts';
import type { Services } from '#http/services.ts';

/**
 * Ids of the jobs that this process is assigning. All runners want the first pending job: when many ask at once, each skips jobs
 * that another request is assigning instead of waiting for a lock. Keyed by the configuration of the server.
 */
const LOCKED_JOB_IDS = new WeakMap<Config, Set<number>>();

/** Runs `work` while the job is marked, unless another request has marked it already. */
export async function withAssignmentLock<T>(
  { config }: Services,
  id: number,
  work: () => Promise<T>,
): Promise<T | 'in hand'> {
  const hand = LOCKED_JOB_IDS.get(config) ?? new Set();
  LOCKED_JOB_IDS.set(config, hand);
  if (hand.has(id)) return 'in hand';
  hand.add(id);
  try {
    return await work();
  } finally {
    hand.delete(id);
  }
}
