import { readDuration } from '#api/pipelines/ci-file/index.ts';
import type { EnvironmentTier } from '#database/tables/environments.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { momentAfter } from '#runtime/clock.ts';
import { environmentFor, TIERS } from '../environment-model/index.ts';
import { type DeployingJob, deployingJobs } from './store.ts';

/**
 * Makes the environments that jobs name and that are not there yet, each as the first of its jobs says (contract/environments.md
 * Part 5). One whose name no environment can have is not made, which its jobs hear of by themselves.
 */
export async function makeEnvironments(
  uow: UnitOfWork,
  { projectId, jobIds }: EventPayloads['environments-wanted'],
): Promise<void> {
  const jobs = await deployingJobs(uow, jobIds);
  const firsts = new Map(jobs.toReversed().map((job) => [job.name, job]));
  // In one order, whoever makes them.
  for (const [name, job] of [...firsts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await environmentFor(uow, { id: projectId }, name, wishOf(uow, job));
  }
}

/** What the job that makes an environment says of it. */
export function wishOf({ now }: UnitOfWork, { said }: DeployingJob) {
  return { tier: tierSaid(said), auto_stop_at: autoStopAt(now, said?.auto_stop_in) };
}

export function tierSaid(said: DeployingJob['said']): EnvironmentTier | undefined {
  return TIERS.find((tier) => tier === said?.deployment_tier);
}

/** When an environment stops by itself of which this is said now; null: never. */
export function autoStopAt(now: string, said: string | null | undefined): string | null {
  const seconds = said == null || said === 'never' ? null : readDuration(said);
  return seconds === null ? null : momentAfter(now, seconds * 1000);
}
