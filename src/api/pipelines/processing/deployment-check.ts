import { type DeployJob, heldJobs } from '#authorization/protected-environments/deployment-jobs.ts';
import { type EnvironmentRow, environmentsNamed } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { stepJobs, type Whose } from './job-transitions.ts';
import type { EngineJob } from './store.ts';

/**
 * What is asked before a job with an environment starts (contract/environments.md Part 5): is the environment there, may the
 * job's user deploy to it now, is its deployment approved of? Jobs without one are asked nothing.
 */

/** `waiting`: for approvals, as a job that somebody has to play; else why it fails. */
export type Held = 'waiting' | 'protected_environment_failure' | 'environment_creation_failure';

const NOBODY_HELD: ReadonlyMap<number, Held> = new Map();

type Asked = Pick<EngineJob, 'id' | 'environment' | 'user_id'>;

/** Those of these jobs of one pipeline, which would start, that may not, by their ids. */
export async function heldBack(
  uow: UnitOfWork,
  whose: Whose,
  jobs: readonly Asked[],
): Promise<ReadonlyMap<number, Held>> {
  const deploying = jobs.filter(hasEnvironment);
  if (deploying.length === 0) return NOBODY_HELD;
  const environments = await environmentsOf(uow, whose, deploying);
  const fit = deploying.filter(({ environment }) => environments.has(environment));
  const held = await heldJobs(uow, uow.tier, whose.project_id, fit, environments);
  return new Map(
    deploying.flatMap(({ id, environment }): [number, Held][] => {
      if (!environments.has(environment)) return [[id, 'environment_creation_failure']];
      const why = held.get(id);
      return why === undefined ? [] : [[id, why === 'waiting' ? why : 'protected_environment_failure']];
    }),
  );
}

/** Has the environments be there of these jobs, which have just been made; one whose environment cannot be fails. */
export async function wantEnvironments(uow: UnitOfWork, whose: Whose, jobs: readonly Asked[]): Promise<void> {
  const deploying = jobs.filter(hasEnvironment);
  if (deploying.length === 0) return;
  const environments = await environmentsOf(uow, whose, deploying);
  const unfit = deploying.filter(({ environment }) => !environments.has(environment));
  await stepJobs(uow, whose, unfit, 'failed', { failure_reason: 'environment_creation_failure' });
}

function hasEnvironment<Job extends Asked>(job: Job): job is Job & DeployJob {
  return job.environment !== null;
}

/** By their names; those that are not there (any more) are made, where their names let them be. */
async function environmentsOf(
  uow: UnitOfWork,
  { project_id: projectId, pipeline_id: pipelineId }: Whose,
  jobs: readonly DeployJob[],
): Promise<ReadonlyMap<string, EnvironmentRow>> {
  const named = () => environmentsNamed(uow, projectId, [...new Set(jobs.map(({ environment }) => environment))]);
  const found = await named();
  const lacking = jobs.filter(({ environment }) => !found.has(environment));
  if (lacking.length === 0) return found;
  await uow.publish('environments-wanted', { projectId, pipelineId, jobIds: lacking.map(({ id }) => id) });
  return named();
}
