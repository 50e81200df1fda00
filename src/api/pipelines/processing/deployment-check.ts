import { type DeployJob, findBlockedJobs } from '#authorization/protected-environments/deployment-jobs.ts';
import { type EnvironmentRow, findEnvironmentsByNames } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type PipelineRef, transitionJobs } from './job-transitions.ts';
import type { ProcessedJob } from './store.ts';

/**
 * What is asked before a job with an environment starts (contract/environments.md Part 5): is the environment there, may the
 * job's user deploy to it now, is its deployment approved of? Jobs without one are asked nothing.
 */

/** `waiting`: for approvals, as a job that somebody has to play; else why it fails. */
export type DeploymentBlock = 'waiting' | 'protected_environment_failure' | 'environment_creation_failure';

const NONE_BLOCKED: ReadonlyMap<number, DeploymentBlock> = new Map();

type CheckedJob = Pick<ProcessedJob, 'id' | 'environment' | 'user_id'>;

/** Those of these jobs of one pipeline, which would start, that may not, by their ids. */
export async function findBlockedDeployments(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  jobs: readonly CheckedJob[],
): Promise<ReadonlyMap<number, DeploymentBlock>> {
  const deploying = jobs.filter(hasEnvironment);
  if (deploying.length === 0) return NONE_BLOCKED;
  const environments = await findOrCreateEnvironments(uow, pipeline, deploying);
  const fit = deploying.filter(({ environment }) => environments.has(environment));
  const held = await findBlockedJobs(uow, uow.tier, pipeline.project_id, fit, environments);
  return new Map(
    deploying.flatMap(({ id, environment }): [number, DeploymentBlock][] => {
      if (!environments.has(environment)) return [[id, 'environment_creation_failure']];
      const why = held.get(id);
      return why === undefined ? [] : [[id, why === 'waiting' ? why : 'protected_environment_failure']];
    }),
  );
}

/** Has the environments be there of these jobs, which have just been made; one whose environment cannot be fails. */
export async function createEnvironmentsForJobs(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  jobs: readonly CheckedJob[],
): Promise<void> {
  const deploying = jobs.filter(hasEnvironment);
  if (deploying.length === 0) return;
  const environments = await findOrCreateEnvironments(uow, pipeline, deploying);
  const unfit = deploying.filter(({ environment }) => !environments.has(environment));
  await transitionJobs(uow, pipeline, unfit, 'failed', { failure_reason: 'environment_creation_failure' });
}

function hasEnvironment<Job extends CheckedJob>(job: Job): job is Job & DeployJob {
  return job.environment !== null;
}

/** By their names; those that are not there (any more) are made, where their names let them be. */
async function findOrCreateEnvironments(
  uow: UnitOfWork,
  { project_id: projectId, pipeline_id: pipelineId }: PipelineRef,
  jobs: readonly DeployJob[],
): Promise<ReadonlyMap<string, EnvironmentRow>> {
  const named = () => findEnvironmentsByNames(uow, projectId, [...new Set(jobs.map(({ environment }) => environment))]);
  const found = await named();
  const lacking = jobs.filter(({ environment }) => !found.has(environment));
  if (lacking.length === 0) return found;
  await uow.publish('deployment-jobs-created', { projectId, pipelineId, jobIds: lacking.map(({ id }) => id) });
  return named();
}
