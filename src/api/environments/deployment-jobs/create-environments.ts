import type { EnvironmentTier } from '#database/schema.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { parsePositiveSeconds } from '#text/durations.ts';
import { ENVIRONMENT_TIERS, findOrCreateEnvironment } from '../environment-model/index.ts';
import { type DeployingJob, loadDeployingJobs } from './store.ts';

/**
 * Creates the missing environments that jobs name, each with the options of its first job (contract/environments.md Part 5).
 * Invalid names are skipped; their jobs fail later.
 */
export async function createJobEnvironments(
  uow: UnitOfWork,
  { projectId, jobIds }: EventPayloads['deployment-jobs-created'],
): Promise<void> {
  const jobs = await loadDeployingJobs(uow, jobIds);
  // The last entry of a name wins, so the reversed order selects its first job.
  const firstJobByName = new Map(jobs.toReversed().map((job) => [job.name, job]));
  // A fixed order prevents deadlocks.
  for (const [name, job] of [...firstJobByName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await findOrCreateEnvironment(uow, { id: projectId }, name, toNewEnvironment(uow, job));
  }
}

/** Returns the attributes of a new environment from the options of its job. */
export function toNewEnvironment({ now }: UnitOfWork, { environmentOptions }: DeployingJob) {
  return {
    tier: getRequestedTier(environmentOptions),
    auto_stop_at: toAutoStopTime(now, environmentOptions?.auto_stop_in),
  };
}

/** Returns the tier that the job's options request; undefined if they request none or an unknown one. */
export function getRequestedTier(options: DeployingJob['environmentOptions']): EnvironmentTier | undefined {
  return ENVIRONMENT_TIERS.find((tier) => tier === options?.deployment_tier);
}

/** Returns when the environment stops automatically for this `auto_stop_in`; null means never. */
export function toAutoStopTime(now: string, autoStopIn: string | null | undefined): string | null {
  const seconds = autoStopIn == null ? null : parsePositiveSeconds(autoStopIn);
  return seconds === null ? null : addMilliseconds(now, seconds * 1000);
}
